import { createRequestStateCodec, type RequestStateCodec } from '@modelcontextprotocol/server';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { hkdfSync } from 'node:crypto';
import type { ToolCall } from './tool.js';

const KEY_PURPOSE = 'weft/mcp-state/1';
/** As long as a person may think about it. */
const TTL_SECONDS = 600;

/** Which deletion a user was asked about. */
export interface AskedDeletion {
  readonly flowId: string;
  readonly version: number;
}

/**
 * What travels with a question to the client and back: signed, and bound to the credential that asked. Every replica has the
 * same key, so that any of them understands the answer.
 */
@Injectable()
export class Deletions {
  private readonly key: Uint8Array;

  constructor(@Inject(SETTINGS) { secrets: { encKeySecret, envKeySalt } }: Settings) {
    this.key = new Uint8Array(hkdfSync('sha256', encKeySecret, envKeySalt, KEY_PURPOSE, 32));
  }

  /** Bound to the credential of this call. */
  codecFor({ caller }: Pick<ToolCall, 'caller'>): RequestStateCodec<AskedDeletion> {
    const bind = (): string => `${caller.companyId}/${caller.userId}/${caller.credentialId}`;
    return createRequestStateCodec<AskedDeletion>({ key: this.key, ttlSeconds: TTL_SECONDS, bind });
  }

  stateOf(asked: AskedDeletion, call: ToolCall): Promise<string> {
    return this.codecFor(call).mint(asked, call.context);
  }

  /** Verified before the tool is called; undefined at the first call. */
  asked({ context }: ToolCall): AskedDeletion | undefined {
    return context.mcpReq.requestState<AskedDeletion>();
  }

  /** Whether the revision of the client has this way to ask. The SDK refuses clients of it that do not declare `elicitation`. */
  canAsk({ context }: ToolCall): boolean {
    return context.mcpReq.envelope !== undefined;
  }
}
