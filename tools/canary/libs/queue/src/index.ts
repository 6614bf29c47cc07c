import '@weft/realtime-bus';
