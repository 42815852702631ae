import { en } from './en';

/** The shape that every catalogue has. */
export type Messages = typeof en;

/** The catalogue in use. */
export const m: Messages = en;
