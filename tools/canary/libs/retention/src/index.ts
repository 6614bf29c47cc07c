import '@weft/egress';
