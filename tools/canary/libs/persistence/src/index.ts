import '@weft/redis';
