import '@weft/persistence';
