/** What the realtime processes serve, which OpenAPI has no words for. Messages and close codes: docs/live.md. */
export const SOCKETS = [
  {
    path: '/ws/plays/{play_id}',
    protocol: 'WebSocket',
    query: ['fromSeq'],
    description: 'One play, event by event, also after it has ended.',
  },
  {
    path: '/api/ws',
    protocol: 'WebSocket',
    query: ['cursor', 'kinds'],
    description: 'Changes of state of all plays of the company that the caller may read.',
  },
  {
    path: '/socket.io',
    protocol: 'socket.io',
    namespace: '/plays',
    description: 'Events of plays, flows or the company, by subscription; WebSocket is the only transport.',
  },
];
