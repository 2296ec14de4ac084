export { StandaloneElector } from './standalone-elector.js';
