import '../../../apps/api/src/main.js';
