import { mount } from 'svelte';
import App from './App.svelte';
import { connect } from '$lib/client';
import './app.css';

const target = document.getElementById('app');
if (!target) throw new Error('the page has no element "app"');
mount(App, { target, props: { connection: await connect(window) } });
