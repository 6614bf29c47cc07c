/** What RFC 9728 says of `/mcp` as a protected resource. */
import * as s from '../http/schema.js';

export const MCP_SCOPE = 'mcp';
export const METADATA_ROUTE = '.well-known/oauth-protected-resource/mcp';

export interface ResourceMetadata {
  readonly resource: string;
  readonly resource_name: string;
  readonly scopes_supported: readonly string[];
  readonly bearer_methods_supported: readonly string[];
  readonly resource_documentation: string;
}

/** @param publicUrl of the API */
export function resourceMetadata(publicUrl: URL): ResourceMetadata {
  return {
    resource: new URL('/mcp', publicUrl).href,
    resource_name: 'Weft',
    scopes_supported: [MCP_SCOPE],
    bearer_methods_supported: ['header'],
    resource_documentation: new URL('/api/docs', publicUrl).href,
  };
}

export function metadataUrl(publicUrl: URL): string {
  return new URL(`/${METADATA_ROUTE}`, publicUrl).href;
}

export const resourceMetadataSchema = s.named(
  'ProtectedResourceMetadata',
  s.object<ResourceMetadata>({
    resource: s.text,
    resource_name: s.text,
    scopes_supported: s.listOf(s.text),
    bearer_methods_supported: s.listOf(s.text),
    resource_documentation: s.text,
  }),
);
