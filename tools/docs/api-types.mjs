// @ts-check
// The types of the HTTP API in TypeScript, from the OpenAPI document that the built API describes itself with. No server is needed:
// Nest reads the controllers, and creates nothing.
import 'reflect-metadata';
import { readFile, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { ApplicationConfig, DiscoveryService, GraphInspector, MetadataScanner, NestContainer } from '@nestjs/core';
import { Injector } from '@nestjs/core/injector/injector.js';
import { InstanceLoader } from '@nestjs/core/injector/instance-loader.js';
import { DependenciesScanner } from '@nestjs/core/scanner.js';
import openapiTS, { astToString } from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';
import { inRoot } from '../setup/root.mjs';

const FILE = inRoot('libs', 'client', 'src', 'api-types.ts');
const HEAD = '// Written by `npm run docs` from the OpenAPI document; `npm run check` compares the two.\n\n';

export async function writeApiTypes() {
  await writeFile(FILE, await apiTypes());
}

/** @returns {Promise<boolean>} whether the file is what the API says */
export async function apiTypesAreCurrent() {
  return (await readFile(FILE, 'utf8').catch(() => '')) === (await apiTypes());
}

async function apiTypes() {
  const nodes = await openapiTS(onlyAnswers(await describe()), { alphabetize: true });
  return HEAD + (await format(astToString(nodes), { ...(await resolveConfig(FILE)), parser: 'typescript' }));
}

/** @returns {Promise<any>} the OpenAPI document */
export async function describe() {
  const { ApiModule } = await built('api.module.js');
  const { describeApi } = await built('http/openapi.js');
  const config = new ApplicationConfig();
  const container = new NestContainer(config);
  const metadata = new MetadataScanner();
  const inspector = new GraphInspector(container);
  await new DependenciesScanner(container, metadata, inspector, config).scan(ApiModule);
  // @ts-expect-error it is private, and the one step of Nest's loader that creates no providers
  new InstanceLoader(container, new Injector(), inspector).createPrototypes(container.getModules());
  const discovery = new DiscoveryService(container.getModules());
  const get = (/** @type {unknown} */ type) => (type === DiscoveryService ? discovery : metadata);
  const getHttpAdapter = () => ({ getType: () => 'fastify' });
  return describeApi({ config, container, get, getHttpAdapter }, '0.0.0');
}

/** @param {string} file of the built API */
const built = (file) => import(pathToFileURL(inRoot('dist', 'apps', 'api', 'src', file)).href);

/**
 * Every refusal is a problem, so one type says it for all: the document names each by its status and codes.
 * @param {any} document
 */
function onlyAnswers(document) {
  const refusal = { description: 'A refusal.', content: { 'application/problem+json': { schema: PROBLEM } } };
  for (const item of Object.values(document.paths)) {
    for (const operation of Object.values(item)) {
      if (typeof operation !== 'object' || !('responses' in operation)) continue;
      const good = Object.entries(operation.responses).filter(([status]) => Number(status) < 400);
      const bare = good.map(([status, answer]) => [status, { ...answer, headers: undefined }]);
      operation.responses = { ...Object.fromEntries(bare), default: refusal };
    }
  }
  // the types are of this version, so they name its codes
  const { code } = document.components.schemas.Problem.properties;
  code.enum = code['x-extensible-enum'];
  delete document.components.responses;
  delete document.components.headers;
  return document;
}

const PROBLEM = { $ref: '#/components/schemas/Problem' };
