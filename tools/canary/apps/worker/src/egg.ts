import { chicken } from './chicken.js';
export const egg = () => chicken;
