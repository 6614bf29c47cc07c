import '../../../libs/kernel/src/index.js';
