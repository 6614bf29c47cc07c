/** What a reader needs before any operation. */
export const ABOUT = `Flows, plays, and everything around them.

**Paths.** Every path under \`/api/v1\` is answered under \`/api\` as well, by the same handler: the \`x-alias\` of a path
is that second address. Clients are generated from the first. \`HEAD\` is answered as \`GET\`, without a body.

**Who may.** \`security\` names what is asked for, each entry being enough: a session, or an API key with that scope.
\`x-roles\` lists the roles that pass, \`x-operator\` says that an operator passes whatever the role, and \`x-right\` that
the flow or play decides (role, grant or authorship). A browser that has no session and prefers HTML is sent to \`/login\`
(302) where others are answered 401.

**Refusals** are \`application/problem+json\`. Decide by \`code\`: each status lists those that the operation may give.
\`retryable\` says whether the same call may succeed later; 429 and 503 say in \`Retry-After\` when.

**Live updates** come over sockets, which OpenAPI cannot describe; \`x-sockets\` lists them, and the page "Watching plays live"
of the documentation describes their messages.`;
