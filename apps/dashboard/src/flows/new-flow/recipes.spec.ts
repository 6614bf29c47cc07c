import { expect, it } from 'vitest';
import { API_DOCUMENTS, RECIPES, recipesWith } from './recipes';

const recipe = (wanted: string) => RECIPES.find(({ key }) => key === wanted);

it('has every recipe, with what is to be filled in', () => {
  expect(RECIPES.length).toBeGreaterThan(20);
  expect(recipe('report-by-mail')?.blanks).toEqual([
    { name: 'mailServer', kind: 'link', value: '' },
    { name: 'shop', kind: 'text', value: 'https://shop.example.com' },
  ]);
  expect(recipe('invoice')?.blanks).toContainEqual({ name: 'numbers', kind: 'flow', value: '' });
  expect(recipe('next-number')?.blanks).toEqual([]);
  expect(recipe('research')?.apis).toEqual(['code-host']);
});

it('has the document of every API that a recipe calls', async () => {
  const used = new Set(RECIPES.flatMap(({ apis }) => apis));
  expect([...used].sort()).toEqual(['chat', 'code-host', 'payments']);
  for (const key of used) expect(JSON.parse((await API_DOCUMENTS.get(key)?.()) ?? '')).toHaveProperty('paths');
});

it('finds recipes by any of their words, those that need nothing else first', () => {
  const keys = (text: string) => recipesWith(text).map(({ key }) => key);
  expect(keys('shop ORDERS')).toContain('order-sync');
  expect(keys('sql')).toContain('database-sync');
  expect(keys('shop unicorn')).toEqual([]);
  expect(recipesWith('')).toEqual(RECIPES);
  const needs = RECIPES.map(({ apis, blanks }) => apis.length + blanks.filter(({ kind }) => kind !== 'text').length);
  expect(needs).toEqual(needs.toSorted((a, b) => a - b));
});
