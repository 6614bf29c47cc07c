import type { Face } from './faces';

export function aFace(part: Partial<Face> = {}): Face {
  return {
    ...{
      title: 'Create an order',
      description: '',
      digest: 'd',
      argsSchema: {},
      errors: {},
      linkKinds: [],
      warnings: [],
    },
    outSchema: {
      properties: { statusCode: { type: 'integer' }, body: { $ref: '#/$defs/Order' } },
      $defs: { Order: {} },
    },
    servers: ['https://api.example.com'],
    paging: null,
    ...part,
  };
}
