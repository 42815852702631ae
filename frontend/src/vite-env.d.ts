/** True in development and in builds made for pictures: the fake library may be loaded. */
declare const __FAKE__: boolean;
