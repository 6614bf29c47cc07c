import '@weft/queue';
