export const facts = 0;
