import '../../../libs/kernel/src/clock.js';
