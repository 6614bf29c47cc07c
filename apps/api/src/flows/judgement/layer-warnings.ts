/**
 * Warns of layers that read something which does not exist when they run. These are only warnings, because a flow can be
 * built in any order; a flow with references to nothing cannot be enabled.
 */
import type { Warning } from '@weft/contracts';
import type { LayerDefinition } from '@weft/engine';
import { Suggestions } from '@weft/expressions';
import { hintsOf, type LayerReading } from '@weft/layers';
import { plainSecretsIn } from './plain-secrets.js';

/** References to nothing: a flow with them cannot be enabled. */
const UNRESOLVED: readonly string[] = ['own_ref', 'later_ref', 'same_stage_ref', 'unknown_ref'];

/** Whether a flow with this warning cannot be enabled. */
export function isUnresolved({ code }: Warning): boolean {
  return UNRESOLVED.includes(code);
}

/** What is doubtful about the layers of one flow. */
export class LayerWarnings {
  private readonly positions: ReadonlyMap<string, number>;
  private readonly suggestions: Suggestions;

  constructor(private readonly layers: readonly LayerDefinition[]) {
    this.positions = new Map(layers.map((layer, position) => [layer.ref, position]));
    this.suggestions = new Suggestions([...this.positions.keys()]);
  }

  /** Calls `found` for each, in no more time than it takes to look at what the layer reads. */
  of(position: number, reading: LayerReading, found: (warning: Warning) => void): void {
    this.ofReferences(position, reading, found);
    const layer = this.layers[position];
    if (layer) for (const hint of [...hintsOf(layer, reading), ...plainSecretsIn(layer.args, 'args')]) found(hint);
  }

  /** What other layers it reads, or decides on. */
  ofReferences(position: number, reading: LayerReading, found: (warning: Warning) => void): void {
    for (const { path, ref, ofError } of reading.refs) {
      const warning = this.ofRead(path, ref, position) ?? (ofError && this.ofError(path, ref));
      if (warning) found(warning);
    }
    for (const { path, ref } of reading.steers) {
      const warning = this.ofSteer(path, ref, position);
      if (warning) found(warning);
    }
  }

  private ofRead(path: string, ref: string, position: number): Warning | undefined {
    const at = this.positions.get(ref);
    if (at === undefined) return this.unknown(path, ref);
    if (at === position) return { path, code: 'own_ref', message: `a layer cannot read its own output (${ref})` };
    if (this.isSameStage(at, position)) return beside(path, ref);
    return at < position ? undefined : { path, code: 'later_ref', message: `the layer "${ref}" comes later` };
  }

  /** When a layer fails that must not, no later layer runs. */
  private ofError(path: string, ref: string): Warning | undefined {
    if (this.layers[this.positions.get(ref) ?? -1]?.onError === 'continue') return undefined;
    const message = `when "${ref}" fails, the play ends: its error can be read here with onError "continue" only`;
    return { path, code: 'no_effect', message };
  }

  private ofSteer(path: string, ref: string, position: number): Warning | undefined {
    const at = this.positions.get(ref);
    if (at === undefined) return this.unknown(path, ref);
    if (at !== position && this.isSameStage(at, position)) return beside(path, ref);
    if (at > position) return undefined;
    return { path, code: 'earlier_ref', message: `the layer "${ref}" has ended by then: this decides nothing` };
  }

  private isSameStage(one: number, other: number): boolean {
    const stage = this.layers[one]?.stage ?? null;
    return stage !== null && stage === this.layers[other]?.stage;
  }

  private unknown(path: string, ref: string): Warning {
    const near = this.suggestions.for(ref);
    const hint = near.length > 0 ? `; did you mean ${near.join(', ')}?` : '';
    return { path, code: 'unknown_ref', message: `no layer has the ref "${ref}"${hint}` };
  }
}

function beside(path: string, ref: string): Warning {
  return { path, code: 'same_stage_ref', message: `the layer "${ref}" runs at the same time` };
}
