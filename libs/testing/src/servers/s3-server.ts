import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { request } from 'undici';
import { findMoto } from '#tools/servers/find-python-server.mjs';
import { freePort } from '#tools/servers/index.mjs';
import { scratchFolder } from '../test-run.js';
import { spawnCommand } from './spawn-process.js';
import { waitFor } from '../wait-for.js';

/** What signs requests; shaped as the secrets of a link. */
export interface AwsKeys {
  readonly access_key_id: string;
  readonly secret_access_key: string;
}

/** S3, SQS, IAM and STS (moto) on the loopback address, with one user. */
export interface S3Server {
  readonly url: string;
  readonly port: number;
  /** Of the user, who may do everything. Whatever else signs a request is refused. */
  readonly keys: AwsKeys;
  /** Of a role that may do everything, and that the user may use. */
  readonly roleArn: string;
  /** Asks the server's own signer: Amazon's library for Python. The expression gives a text. */
  python(expression: string): Promise<string>;
}

const READY_WITHIN_MS = 60_000;
/** The only one that moto has. */
const ACCOUNT = '123456789012';
const UNSIGNED = 'AWS4-HMAC-SHA256 Credential=x/20200101/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=x';
const IN_REGION =
  '<CreateBucketConfiguration><LocationConstraint>eu-central-1</LocationConstraint></CreateBucketConfiguration>';
const POLICY = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action: ['s3:*', 'sqs:*', 'sts:*'], Resource: '*' }],
};
const SIGNER = [
  'from botocore.auth import S3SigV4QueryAuth',
  'from botocore.awsrequest import AWSRequest',
  'from botocore.credentials import Credentials',
].join('\n');

export interface S3ServerOptions {
  /** Which it has, in the region eu-central-1. */
  readonly buckets: readonly string[];
  /** The external id that the role demands. */
  readonly externalId?: string;
}

/** What answers all spec files of this worker, one after the other, and the server's own signer. */
interface Moto extends Pick<S3Server, 'url' | 'port' | 'python'> {
  readonly isRunning: () => boolean;
}
let shared: Promise<Moto> | undefined;

/**
 * The server of this worker, as if it were new: a second call in a file ends what the first one has given.
 *
 * @throws Error why moto is not there, and what to do: a spec that needs it fails
 */
export async function s3Server({ buckets, externalId = 'nobody' }: S3ServerOptions): Promise<S3Server> {
  if (!(await shared)?.isRunning()) shared = startMoto();
  const { url, port, python } = (await shared) as Moto;
  await tell(url, 'reset-auth', 'inf');
  await tell(url, 'reset', '');
  for (const bucket of buckets) {
    const { statusCode } = await request(`${url}/${bucket}`, { method: 'PUT', body: IN_REGION });
    if (statusCode !== 200) throw new Error(`moto answered ${statusCode} to a new bucket`);
  }
  const user = { Version: '2010-05-08', UserName: 'weft' };
  await ask(url, { ...user, Action: 'CreateUser' });
  await ask(url, { ...user, Action: 'PutUserPolicy', PolicyName: 'all', PolicyDocument: JSON.stringify(POLICY) });
  const made = await ask(url, { ...user, Action: 'CreateAccessKey' });
  const field = (name: string): string => new RegExp(`<${name}>(.*?)</${name}>`).exec(made)?.[1] ?? '';
  const [userArn, roleArn] = ['user', 'role'].map((kind) => `arn:aws:iam::${ACCOUNT}:${kind}/weft`);
  const trust = {
    ...{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { AWS: userArn } },
    Condition: { StringEquals: { 'sts:ExternalId': externalId } },
  };
  const role = { Version: '2010-05-08', RoleName: 'weft' };
  const document = JSON.stringify({ Version: '2012-10-17', Statement: [trust] });
  await ask(url, { ...role, Action: 'CreateRole', AssumeRolePolicyDocument: document });
  await ask(url, { ...role, Action: 'PutRolePolicy', PolicyName: 'all', PolicyDocument: JSON.stringify(POLICY) });
  // from now on each request is checked
  await tell(url, 'reset-auth', '0');
  const keys = { access_key_id: field('AccessKeyId'), secret_access_key: field('SecretAccessKey') };
  return { url, port, python, keys, roleArn: roleArn ?? '' };
}

/** Ends with the run: no spec file is its last user. */
async function startMoto(): Promise<Moto> {
  const { file, args, env } = await findMoto({ env: process.env, log: (line) => process.stderr.write(`${line}\n`) });
  const port = await freePort();
  const inPython = { ...process.env, ...env };
  const command = { file, args: args(port), cwd: scratchFolder('moto'), env: inPython, port };
  const { url, isRunning, output } = await spawnCommand('moto', command, 0);
  const isReady = async () => !isRunning() || (await request(`${url}/moto-api/data.json`)).statusCode === 200;
  await waitFor(isReady, { what: 'moto to be ready', withinMs: READY_WITHIN_MS });
  if (!isRunning()) throw new Error(`moto ended before it was ready. It said:\n${output()}`);
  return {
    ...{ url, port, isRunning },
    async python(expression) {
      const { stdout } = await promisify(execFile)(file, ['-c', `${SIGNER}\nprint(${expression}, end="")`], {
        env: inPython,
      });
      return stdout;
    },
  };
}

/** To the server itself. */
async function tell(url: string, what: 'reset' | 'reset-auth', body: string): Promise<void> {
  const headers = { 'content-type': 'application/octet-stream' };
  const { statusCode } = await request(`${url}/moto-api/${what}`, { method: 'POST', headers, body });
  if (statusCode !== 200) throw new Error(`moto answered ${statusCode} to ${what}`);
}

async function ask(url: string, form: Readonly<Record<string, string>>): Promise<string> {
  const { statusCode, body } = await request(url, {
    method: 'POST',
    headers: { authorization: UNSIGNED, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`moto answered ${statusCode} to ${form.Action ?? ''}: ${text}`);
  return text;
}
