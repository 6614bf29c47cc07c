import '@weft/observability';
