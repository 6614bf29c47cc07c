import './real.spec.js';
