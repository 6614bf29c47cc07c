import { Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { outOf, type FlowVersion, type LayerDefinition, type LayerResult, type PayloadRef } from '@weft/engine';
import { GrantCache } from '@weft/identity';
import { WeftError } from '@weft/kernel';
import { curlOf, layerInput, type LayerInput, type LinkShown } from '@weft/layers';
import { CompanyRepository, FlowVersionRepository, IntegrationRepository } from '@weft/records';
import { Sandbox } from '@weft/sandbox';
import { PayloadStore, PlayReadsRepository, TenantScope } from '@weft/store';
import { withSecretsHidden } from '../../flows/documents/private-values.js';
import { DryRuns } from '../../flows/dry-run/dry-runs.service.js';
import { maySeeLink } from '../../integrations/integration-rights.js';
import { PlayRights } from '../play-rights.js';
import { labelOf, type LayerInputView } from './layer-input.view.js';

const SECRET = '[secret]';
const TIME_LIMIT_MS = 5_000;
/** Of the arguments, about. */
const MAX_CHARS = 4 * 1024 * 1024;
/** Of the pages of a loop, which are read whole. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/**
 * Computes anew what a layer was given. It takes its turn with the dry runs of this process, which bounds how much they compute and
 * hold.
 */
@Injectable()
export class LayerInputService {
  constructor(
    private readonly plays: PlayReadsRepository,
    private readonly rights: PlayRights,
    private readonly versions: FlowVersionRepository,
    private readonly companies: CompanyRepository,
    private readonly payloads: PayloadStore,
    private readonly integrations: IntegrationRepository,
    private readonly grants: GrantCache,
    private readonly dryRuns: DryRuns,
    private readonly sandbox: Sandbox,
  ) {}

  /** @throws WeftError `not_found`, `denied`, `too_many_dry_runs`, `value_too_large` */
  async read(caller: Principal, playId: string, ref: string, item: number | undefined): Promise<LayerInputView> {
    const scope = new TenantScope(caller.companyId);
    const play = await this.rights.assertMay(caller, 'read', await this.plays.findWithLayers(scope, playId));
    const version = await this.versions.find(scope, play.flowId, play.version);
    const layer = version?.layers.find((each) => each.ref === ref);
    if (!version) throw new WeftError('not_found', 'The version that this play ran is gone.');
    if (!layer) throw new WeftError('not_found', `This play has no layer "${ref}".`);
    const companyName = (await this.companies.find(scope))?.name ?? '';
    const request = { play, version: withoutSecretVars(version), companyName, ref, item, secret: SECRET };
    const open = (_companyId: string, payload: PayloadRef) => this.payloads.open(scope, payload);
    const outputOf = (result: LayerResult) => this.outputOf(scope, result);
    const openFile = (_companyId: string, id: string) => this.payloads.userFiles.open(scope, id);
    const input = await this.dryRuns.inTurns(caller.companyId, (takeTurn) =>
      takeTurn(async () => {
        const means = { open, outputOf, openFile, sandbox: this.sandbox, signal: AbortSignal.timeout(TIME_LIMIT_MS) };
        try {
          return await layerInput({ ...request, ...means });
        } catch (error) {
          if (!(error instanceof RangeError)) throw error;
          throw new WeftError('not_found', error.message);
        }
      }),
    );
    return this.toView(caller, layer, input);
  }

  private async toView(caller: Principal, layer: LayerDefinition, input: LayerInput): Promise<LayerInputView> {
    const { item, unresolved, idempotencyKey, each } = input;
    if (leftOf(input.args, MAX_CHARS) < 0) {
      throw new WeftError('value_too_large', `The input has more than ${MAX_CHARS} characters, which are not shown.`);
    }
    const { args } = withSecretsHidden({ args: input.args }, SECRET);
    const written = withSecretsHidden({ args: layer.args }, SECRET);
    const expressions = Object.fromEntries(
      Object.keys(input.expressions).map((pointer) => [pointer, String(valueAt(written.args, pointer))]),
    );
    const isRequest = layer.appId === 'web-request' && unresolved.length === 0;
    const link = isRequest ? await this.linkOf(caller, input.args) : null;
    const curl = isRequest ? await curlOf(args, { idempotencyKey, link, secret: SECRET }) : null;
    const label = each ? labelOf(withoutSecretFields(each.value)) : null;
    return { args, expressions, unresolved, item, of: each?.of ?? null, label, curl };
  }

  /** How a link shows its credentials is for those who may see the link. */
  private async linkOf(caller: Principal, args: unknown): Promise<LinkShown | null> {
    const { auth } = args as { readonly auth?: { readonly integrationId?: unknown } | null };
    const id = auth?.integrationId;
    if (typeof id !== 'string') return null;
    const link = await this.integrations.find(new TenantScope(caller.companyId), id);
    if (!link) return null;
    const may = await this.grants.decide(caller, (held) => {
      const granted = held.flatMap((grants) => grants.on('integration', id));
      return maySeeLink(caller, link, granted);
    });
    return may ? { kind: link.Kind ?? 'bearer', settings: link.Settings ?? {} } : null;
  }

  private async outputOf(scope: TenantScope, result: LayerResult): Promise<unknown> {
    const { outRef } = result;
    if (!outRef) return outOf(result);
    if (outRef.bytes > MAX_OUTPUT_BYTES) return undefined;
    return (await this.payloads.output(scope, outRef))?.out;
  }
}

/** Variables are not shown to those who read plays, and some are secrets. */
function withoutSecretVars(version: FlowVersion): FlowVersion {
  const { blueprintVars } = version;
  return blueprintVars ? { ...version, blueprintVars: withSecretsHidden(blueprintVars, SECRET) } : version;
}

/** A label tells which item it is: a secret does not. What lies deeper is not looked at. */
function withoutSecretFields(item: unknown): unknown {
  if (Array.isArray(item)) return null;
  const isObject = typeof item === 'object' && item !== null;
  const fields = Object.entries(isObject ? item : { '': item }).filter(([, value]) => typeof value !== 'object');
  const shown = Object.entries(withSecretsHidden(Object.fromEntries(fields), SECRET));
  const left = Object.fromEntries(shown.filter(([, value]) => value !== SECRET));
  return isObject ? left : left[''];
}

function valueAt(value: unknown, pointer: string): unknown {
  const names = pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.reduce<unknown>((at, name) => (at as Readonly<Record<string, unknown>> | undefined)?.[name], value);
}

/** What is left of as many characters when a value is written; it looks at no more of it. */
function leftOf(value: unknown, chars: number): number {
  if (typeof value === 'string') return chars - value.length;
  if (typeof value !== 'object' || value === null) return chars - 4;
  let left = chars;
  for (const name in value) {
    left = leftOf((value as Readonly<Record<string, unknown>>)[name], left - name.length);
    if (left < 0) break;
  }
  return left;
}
