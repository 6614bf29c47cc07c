import '../../worker/src/main.js';
