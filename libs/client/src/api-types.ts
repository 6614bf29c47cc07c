// Written by `npm run docs` from the OpenAPI document; `npm run check` compares the two.

export interface paths {
  '/.well-known/oauth-protected-resource/mcp': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Say which credentials /mcp takes (RFC 9728)
     * @description Public: no credential is asked for.
     */
    get: operations['Mcp_metadata'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/health': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The same as /health
     * @description Public: no credential is asked for.
     */
    get: operations['Health_read_api'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/openapi.json': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read this document
     * @description Public: no credential is asked for.
     */
    get: operations['OpenApi_read'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/access/grant': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Grant a user or a group rights on a thing; the same again replaces its permissions
     * @description For everybody who is signed in. API keys need the scope `admin`.
     */
    post: operations['Grants_grant'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/access/grants': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List grants, newest first: admins those of the company, others those on what they made
     * @description For everybody who is signed in. API keys need the scope `admin` or `api` or `api:read` or `read`.
     */
    get: operations['Grants_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/access/grants/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * Take a grant back
     * @description For everybody who is signed in. API keys need the scope `admin`.
     */
    delete: operations['Grants_remove'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/admin/api-keys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the API keys of the company, newest first
     * @description For the roles `admin`. API keys need the scope `admin` or `api` or `api:read` or `read`.
     */
    get: operations['ApiKeys_list'];
    put?: never;
    /**
     * Make an API key; its token is shown this once
     * @description For the roles `admin`. API keys need the scope `admin`.
     */
    post: operations['ApiKeys_create'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/admin/api-keys/{key_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read an API key
     * @description For the roles `admin`. API keys need the scope `admin` or `api` or `api:read` or `read`.
     */
    get: operations['ApiKeys_read'];
    put?: never;
    post?: never;
    /**
     * Revoke an API key; again is no error
     * @description For the roles `admin`. API keys need the scope `admin`.
     */
    delete: operations['ApiKeys_revoke'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/admin/config': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List every setting with the value in effect; secrets are masked
     * @description For the roles `admin`. API keys need the scope `api` or `api:read` or `admin` or `read`.
     */
    get: operations['Config_read'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /**
     * Change settings at run time, in all processes within five seconds; null takes a change back
     * @description For operators of the installation. API keys need the scope `admin`.
     */
    patch: operations['Config_change'];
    trace?: never;
  };
  '/api/v1/admin/jobs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the background jobs: last run, outcome, next run
     * @description For the roles `admin`. API keys need the scope `admin` or `api` or `api:read` or `read`.
     */
    get: operations['Jobs_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/admin/jobs/{name}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a background job
     * @description For the roles `admin`. API keys need the scope `admin` or `api` or `api:read` or `read`.
     */
    get: operations['Jobs_read'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/admin/jobs/{name}/run': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Run a background job now; one that is running runs once more when it has ended
     * @description For operators of the installation. API keys need the scope `admin`.
     */
    post: operations['Jobs_run'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/admin/oauth-providers': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the identity providers, newest first
     * @description For operators of the installation. API keys need the scope `admin` or `api` or `api:read` or `read`.
     */
    get: operations['OAuthProviders_list'];
    put?: never;
    /**
     * Add an identity provider
     * @description For operators of the installation. API keys need the scope `admin`.
     */
    post: operations['OAuthProviders_create'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/admin/oauth-providers/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read an identity provider
     * @description For operators of the installation. API keys need the scope `admin` or `api` or `api:read` or `read`.
     */
    get: operations['OAuthProviders_read'];
    put?: never;
    post?: never;
    /**
     * Remove an identity provider; its users keep their accounts here
     * @description For operators of the installation. API keys need the scope `admin`.
     */
    delete: operations['OAuthProviders_remove'];
    options?: never;
    head?: never;
    /**
     * Change an identity provider; fields left out stay as they are
     * @description For operators of the installation. API keys need the scope `admin`.
     */
    patch: operations['OAuthProviders_update'];
    trace?: never;
  };
  '/api/v1/admin/processes': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the processes of the installation that are running: where, since when, of which version
     * @description For operators of the installation. API keys need the scope `admin` or `api` or `api:read` or `read`.
     */
    get: operations['Processes_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/admin/queue': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read the queue and its workers: of the own company, for operators of all
     * @description For the roles `admin`. API keys need the scope `admin` or `api` or `api:read` or `read`.
     */
    get: operations['QueueAdmin_read'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/admin/retention-policies': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the retention policies, newest first
     * @description For the roles `admin`. API keys need the scope `api` or `admin` or `api:read` or `read`.
     */
    get: operations['RetentionPolicies_list'];
    put?: never;
    /**
     * Make a retention policy: general, for one flow, or for a flow group
     * @description For the roles `admin`. API keys need the scope `api` or `admin`.
     */
    post: operations['RetentionPolicies_create'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/admin/retention-policies/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a retention policy
     * @description For the roles `admin`. API keys need the scope `api` or `admin` or `api:read` or `read`.
     */
    get: operations['RetentionPolicies_read'];
    put?: never;
    post?: never;
    /**
     * Delete a retention policy: less specific ones or the default hold again
     * @description For the roles `admin`. API keys need the scope `api` or `admin`.
     */
    delete: operations['RetentionPolicies_remove'];
    options?: never;
    head?: never;
    /**
     * Change a retention policy
     * @description For the roles `admin`. API keys need the scope `api` or `admin`.
     */
    patch: operations['RetentionPolicies_update'];
    trace?: never;
  };
  '/api/v1/admin/retention-policies/preview': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Count what the next cleanup would delete
     * @description For the roles `admin`. API keys need the scope `api` or `admin` or `api:read` or `read`.
     */
    get: operations['RetentionPolicies_preview'];
    put?: never;
    /**
     * Count what the next cleanup would delete if this policy were stored; nothing is stored
     * @description For the roles `admin`. API keys need the scope `api` or `admin`.
     */
    post: operations['RetentionPolicies_previewOf'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/admin/retention-policies/stats': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Tell what the last cleanup did in the company
     * @description For the roles `admin`. API keys need the scope `api` or `admin` or `api:read` or `read`.
     */
    get: operations['RetentionPolicies_stats'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/analytics/flows': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the flows that the caller may read with what their plays did
     * @description For the roles `admin`, `analytics_viewer`, or the roles `admin`, `flow_editor`. API keys need the scope `api` or `api:read` or `read`.
     */
    get: operations['Analytics_byFlow'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/analytics/flows/{flowId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read what the plays of a flow did, by minute or hour, and what its layers did
     * @description For the roles `admin`, `analytics_viewer`, or the roles `admin`, `flow_editor`. API keys need the scope `api` or `api:read` or `read`.
     */
    get: operations['Analytics_ofFlow'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/analytics/overview': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read what the plays of the company did, by minute or hour, and what waits now
     * @description For the roles `admin`, `analytics_viewer`, or the roles `admin`, `flow_editor`. API keys need the scope `api` or `api:read` or `read`.
     */
    get: operations['Analytics_overview'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/apis': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the APIs of the company, newest first
     * @description For the roles `admin`, `flow_editor`, or the roles `admin`, `integration_manager`. API keys need the scope `api` or `api:read` or `api:flows` or `read`.
     */
    get: operations['Apis_list'];
    put?: never;
    /**
     * Give the OpenAPI document of a service; its operations are imported in the background
     * @description For the roles `admin`, `integration_manager`. API keys need the scope `api`.
     */
    post: operations['Apis_create'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/apis/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read an API, by its id or its key, with the report of its last import
     * @description For the roles `admin`, `flow_editor`, or the roles `admin`, `integration_manager`. API keys need the scope `api` or `api:read` or `api:flows` or `read`.
     */
    get: operations['Apis_read'];
    put?: never;
    post?: never;
    /**
     * Delete an API with its operations; layers that use them fail from now on
     * @description For the roles `admin`, `integration_manager`. API keys need the scope `api`.
     */
    delete: operations['Apis_remove'];
    options?: never;
    head?: never;
    /**
     * Rename an API, or change its key, its link, its base address or the overlay of its document
     * @description For the roles `admin`, `integration_manager`. API keys need the scope `api`.
     */
    patch: operations['Apis_update'];
    trace?: never;
  };
  '/api/v1/apis/{id}/adopt': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Have flows call the operations as they are now: new versions, after their test cases ran
     * @description For the roles `admin`, `flow_editor`, or the roles `admin`, `integration_manager`. API keys need the scope `api` or `api:flows`.
     */
    post: operations['Apis_adopt'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/apis/{id}/diff': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Show what the last refresh found, and which flows, layers and test cases it concerns
     * @description For the roles `admin`, `flow_editor`, or the roles `admin`, `integration_manager`. API keys need the scope `api` or `api:read` or `api:flows` or `read`.
     */
    get: operations['Apis_diff'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/apis/{id}/operations': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the operations of an API by name
     * @description For the roles `admin`, `flow_editor`, or the roles `admin`, `integration_manager`. API keys need the scope `api` or `api:read` or `api:flows` or `read`.
     */
    get: operations['Apis_listOperations'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/apis/{id}/operations/{name}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read an operation: how it is sent, and the schemas of its args and its answers
     * @description For the roles `admin`, `flow_editor`, or the roles `admin`, `integration_manager`. API keys need the scope `api` or `api:read` or `api:flows` or `read`.
     */
    get: operations['Apis_readOperation'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/apis/{id}/refresh': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Import the document anew, or only compare it; what runs stays as it is
     * @description For the roles `admin`, `integration_manager`. API keys need the scope `api`.
     */
    post: operations['Apis_refresh'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/approval-links/decide': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Decide an approval by its link
     * @description Public: no credential is asked for.
     */
    post: operations['ApprovalLinks_decide'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/approval-links/read': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Read what the link of an approval is about
     * @description Public: no credential is asked for.
     */
    post: operations['ApprovalLinks_read'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/approvals': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the approvals that plays of the company wait for now, newest play first
     * @description For everybody who is signed in. API keys need the scope `api` or `api:read` or `api:plays` or `read`.
     */
    get: operations['ApprovalInbox_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/audit': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List who changed what in the company, newest first
     * @description For the roles `admin`, `audit_viewer`. API keys need the scope `api` or `api:read` or `read`.
     */
    get: operations['Audit_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/audit/export': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Export audit entries, newest first, as a file of any length
     * @description For the roles `admin`, `audit_viewer`. API keys need the scope `api` or `api:read` or `read`.
     */
    get: operations['Audit_export'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/audit/verify': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Compare the whole log of the company with its seals
     * @description For the roles `admin`. API keys need the scope `api` or `api:read` or `read`.
     */
    get: operations['Audit_verify'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/auth/api-keys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Make an API key; its token is shown this once
     * @description For the roles `admin`. API keys need the scope `admin`.
     */
    post: operations['ApiKeys_create_auth'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/auth/identities': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the accounts at identity providers that open yours, newest first
     * @description For everybody who is signed in. Not for API keys.
     */
    get: operations['Identities_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/auth/identities/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read one of them
     * @description For everybody who is signed in. Not for API keys.
     */
    get: operations['Identities_read'];
    put?: never;
    post?: never;
    /**
     * Untie one of them from your account; your other sessions end
     * @description For everybody who is signed in. Not for API keys.
     */
    delete: operations['Identities_untie'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/auth/login': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Sign in with a password; the answer sets the cookie sid
     * @description Public: no credential is asked for.
     */
    post: operations['Auth_login'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/auth/logout': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * End the session and clear the cookie
     * @description Public: no credential is asked for.
     */
    post: operations['Auth_logout'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/auth/me': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Who is calling
     * @description For everybody who is signed in. API keys need the scope `api` or `api:read` or `api:flows` or `api:plays` or `flow:execute` or `admin` or `read`.
     */
    get: operations['Auth_me'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/auth/password': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Change your password; your other sessions end
     * @description For everybody who is signed in. Not for API keys.
     */
    post: operations['Passwords_change'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/auth/password/accept': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Choose a password by the link of an invitation or of a reset
     * @description Public: no credential is asked for.
     */
    post: operations['Passwords_accept'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/auth/providers': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the identity providers that can be signed in at
     * @description Public: no credential is asked for.
     */
    get: operations['OAuthSignIn_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/auth/sessions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List your sessions, newest first
     * @description For everybody who is signed in. Not for API keys.
     */
    get: operations['Sessions_list'];
    put?: never;
    post?: never;
    /**
     * End all your sessions, this one too
     * @description For everybody who is signed in. Not for API keys.
     */
    delete: operations['Sessions_endAll'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/auth/sessions/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read one of your sessions
     * @description For everybody who is signed in. Not for API keys.
     */
    get: operations['Sessions_read'];
    put?: never;
    post?: never;
    /**
     * End one of your sessions
     * @description For everybody who is signed in. Not for API keys.
     */
    delete: operations['Sessions_end'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/auth/switch-company': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Act in another of your companies; the answer sets a new cookie, the old session ends
     * @description For everybody who is signed in. Not for API keys.
     */
    post: operations['Auth_switchCompany'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/bulk': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List bulk operations, newest first; finished ones are kept for 30 days
     * @description For the roles `admin`, `flow_editor`. API keys need the scope `api` or `api:read` or `api:plays` or `read`.
     */
    get: operations['Bulk_list'];
    put?: never;
    /**
     * Cancel or retry any number of plays in the background, by id or by filter
     * @description The plays are those that match at the start; plays accepted later are not among them. They are changed newest first, or in the order of the ids, with the rights that the caller has at that time.
     *
     *     For the roles `admin`, `flow_editor`. API keys need the scope `api` or `api:plays`.
     */
    post: operations['Bulk_start'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/bulk/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read how far a bulk operation is
     * @description For the roles `admin`, `flow_editor`. API keys need the scope `api` or `api:read` or `api:plays` or `read`.
     */
    get: operations['Bulk_read'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/bulk/{id}/abort': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Stop a bulk operation; what was changed stays changed
     * @description For the roles `admin`, `flow_editor`. API keys need the scope `api` or `api:plays`.
     */
    post: operations['Bulk_abort'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/changes': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read every change of the plays that the caller may read, once and in order per play
     * @description For everybody who is signed in. API keys need the scope `api` or `api:read` or `api:plays` or `read`.
     */
    get: operations['Changes_read'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/companies': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List your companies; an operator sees all
     * @description For everybody who is signed in. API keys need the scope `api` or `api:read` or `read`.
     */
    get: operations['Companies_list'];
    put?: never;
    /**
     * Make a company; its maker is its admin
     * @description For operators of the installation. API keys need the scope `admin`.
     */
    post: operations['Companies_create'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/companies/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a company
     * @description For everybody who is signed in. API keys need the scope `api` or `api:read` or `read`.
     */
    get: operations['Companies_read'];
    put?: never;
    post?: never;
    /**
     * Stop a company and erase everything it has, for good
     * @description For operators of the installation. API keys need the scope `admin`.
     */
    delete: operations['CompanyJobs_erase'];
    options?: never;
    head?: never;
    /**
     * Rename a company, or (operators) stop and resume everything in it, limit what it starts and stores, and choose its workers
     * @description For the roles `admin`, or operators of the installation. API keys need the scope `admin`.
     */
    patch: operations['Companies_change'];
    trace?: never;
  };
  '/api/v1/companies/{id}/export': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Write all that defines a company to a file, without secrets and plays
     * @description For operators of the installation. API keys need the scope `admin`.
     */
    post: operations['CompanyJobs_export'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/companies/{id}/usage': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read what a company did and used, day by day; the days are kept for 400 days
     * @description For the roles `admin`, or operators of the installation. API keys need the scope `api` or `api:read` or `admin` or `read`.
     */
    get: operations['Companies_usage'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/companies/import': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Make a company of the file of an export; you administer it
     * @description For operators of the installation. API keys need the scope `admin`.
     */
    post: operations['CompanyJobs_import'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/company-jobs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List exports, imports and erasures of companies, newest first; finished ones are kept for 90 days
     * @description For operators of the installation. API keys need the scope `api` or `api:read` or `admin` or `read`.
     */
    get: operations['CompanyJobs_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/company-jobs/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read how far an export, an import or an erasure of a company is
     * @description For operators of the installation. API keys need the scope `api` or `api:read` or `admin` or `read`.
     */
    get: operations['CompanyJobs_read'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/destinations': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List whom the flows of the company call, as far as it is limited or not just up
     * @description For the roles `admin`, `flow_editor`. API keys need the scope `api` or `api:read` or `read`.
     */
    get: operations['Destinations_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/destinations/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a destination
     * @description For the roles `admin`, `flow_editor`. API keys need the scope `api` or `api:read` or `read`.
     */
    get: operations['Destinations_read'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /**
     * Limit how often a destination is called, whether it is known or not
     * @description For the roles `admin`, `flow_editor`. API keys need the scope `api`.
     */
    patch: operations['Destinations_update'];
    trace?: never;
  };
  '/api/v1/destinations/{id}/pause': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Let no call through to a destination, whether it is known or not, until it is released
     * @description For the roles `admin`, `flow_editor`. API keys need the scope `api`.
     */
    post: operations['Destinations_pause'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/destinations/{id}/release': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Let calls through again to a destination that is paused or down, and release plays that wait
     * @description For the roles `admin`, `flow_editor`. API keys need the scope `api`.
     */
    post: operations['Destinations_release'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Tell the plays that wait for it that something happened, or the first one that will wait
     * @description For the roles `admin`, `flow_editor`, `flow_executor`. API keys need the scope `api` or `api:plays` or `flow:execute`.
     */
    post: operations['Events_publish'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flow-groups': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the flow groups, newest first
     * @description For every role but `none`. API keys need the scope `api` or `api:read` or `api:flows` or `read`.
     */
    get: operations['FlowGroups_list'];
    put?: never;
    /**
     * Make a flow group; flows join it by their groupId
     * @description For the roles `admin`, `flow_editor`. API keys need the scope `api` or `api:flows`.
     */
    post: operations['FlowGroups_create'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flow-groups/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a flow group
     * @description For every role but `none`. API keys need the scope `api` or `api:read` or `api:flows` or `read`.
     */
    get: operations['FlowGroups_read'];
    put?: never;
    post?: never;
    /**
     * Delete a flow group that has no flows, and the grants on it
     * @description For the roles `admin`, `flow_editor`. API keys need the scope `api` or `api:flows`.
     */
    delete: operations['FlowGroups_remove'];
    options?: never;
    head?: never;
    /**
     * Rename a flow group
     * @description For the roles `admin`, `flow_editor`. API keys need the scope `api` or `api:flows`.
     */
    patch: operations['FlowGroups_update'];
    trace?: never;
  };
  '/api/v1/flows': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the flows that the caller may read, newest first
     * @description For everybody who is signed in. API keys need the scope `api` or `api:read` or `api:flows` or `read`.
     */
    get: operations['Flows_list'];
    put?: never;
    /**
     * Make a flow
     * @description For the roles `admin`, `flow_editor`. API keys need the scope `api` or `api:flows`.
     */
    post: operations['Flows_create'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flows/{flowId}/backtest': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Say what a version would have done otherwise in the last plays of its flow
     * @description For those who may edit the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:flows`.
     */
    post: operations['Backtest_backtest'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flows/{flowId}/blueprint-vars': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the blueprint variables that a flow reads
     * @description For those who may read the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:read` or `api:flows` or `read`.
     */
    get: operations['Blueprints_listVars'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flows/{flowId}/dry-run': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Run a flow in memory, with given outs in the place of what reaches outside
     * @description For those who may execute the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:flows`.
     */
    post: operations['Checks_dryRun'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flows/{flowId}/export': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a flow and its test cases as one document, without ids and secrets of the company
     * @description For those who may read the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:read` or `api:flows` or `read`.
     */
    get: operations['Documents_export'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flows/{flowId}/instantiate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Make a flow of its own from a blueprint
     * @description For the roles `admin`, `flow_editor`. API keys need the scope `api` or `api:flows`.
     */
    post: operations['Blueprints_instantiate'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flows/{flowId}/layers': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the layers of a flow in order of execution
     * @description For those who may read the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:read` or `api:flows` or `read`.
     */
    get: operations['Layers_list'];
    put?: never;
    /**
     * Add a layer
     * @description For those who may edit the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:flows`.
     */
    post: operations['Layers_create'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flows/{flowId}/layers/{layerId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a layer
     * @description For those who may read the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:read` or `api:flows` or `read`.
     */
    get: operations['Layers_read'];
    /**
     * Change a layer; fields left out stay as they are, args are replaced as a whole
     * @description For those who may edit the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:flows`.
     */
    put: operations['Layers_update'];
    post?: never;
    /**
     * Remove a layer
     * @description For those who may edit the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:flows`.
     */
    delete: operations['Layers_remove'];
    options?: never;
    head?: never;
    /**
     * The same as PUT
     * @description For those who may edit the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:flows`.
     */
    patch: operations['Layers_patch'];
    trace?: never;
  };
  '/api/v1/flows/{flowId}/layers/order': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /**
     * Put all layers in another order
     * @description For those who may edit the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:flows`.
     */
    put: operations['Layers_reorder'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flows/{flowId}/layers/try': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Call one layer for real, once: no play is made of it
     * @description For those who may edit the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:flows`.
     */
    post: operations['LayerTries_try'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flows/{flowId}/plays': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the plays of a flow, newest first
     * @description For those who may read the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:read` or `api:plays` or `read`.
     */
    get: operations['FlowPlays_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flows/{flowId}/publish': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Make a version of a flow the one that its runs use
     * @description For those who may edit the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:flows`.
     */
    post: operations['Publication_publish'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flows/{flowId}/samples': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the samples of the layers of a flow
     * @description For those who may read the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:read` or `api:flows` or `read`.
     */
    get: operations['Samples_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flows/{flowId}/samples/{ref}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read the sample of a layer
     * @description For those who may read the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:read` or `api:flows` or `read`.
     */
    get: operations['Samples_read'];
    /**
     * Keep a sample of what a layer gives, in the place of the one it has
     * @description For those who may edit the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:flows`.
     */
    put: operations['Samples_put'];
    post?: never;
    /**
     * Remove the sample of a layer
     * @description For those who may edit the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:flows`.
     */
    delete: operations['Samples_remove'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flows/{flowId}/test-cases': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the test cases of a flow, newest first
     * @description For those who may read the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:read` or `api:flows` or `read`.
     */
    get: operations['TestCases_list'];
    put?: never;
    /**
     * Add a test case
     * @description For those who may edit the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:flows`.
     */
    post: operations['TestCases_create'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flows/{flowId}/test-cases/{caseId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a test case
     * @description For those who may read the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:read` or `api:flows` or `read`.
     */
    get: operations['TestCases_read'];
    put?: never;
    post?: never;
    /**
     * Delete a test case
     * @description For those who may edit the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:flows`.
     */
    delete: operations['TestCases_remove'];
    options?: never;
    head?: never;
    /**
     * Change a test case; fields left out stay as they are, others are replaced as a whole
     * @description For those who may edit the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:flows`.
     */
    patch: operations['TestCases_update'];
    trace?: never;
  };
  '/api/v1/flows/{flowId}/test-cases/run': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Run all test cases: nothing is stored, nothing is sent
     * @description For those who may edit the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:flows`.
     */
    post: operations['TestCases_run'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flows/{flowId}/triggers': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the triggers of a flow, newest first
     * @description For those who may edit the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:flows` or `webhooks` or `api:read` or `read`.
     */
    get: operations['Triggers_list'];
    put?: never;
    /**
     * Make an address at which deliveries of another service run the flow, or have messages run it
     * @description For those who may edit the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:flows` or `webhooks`.
     */
    post: operations['Triggers_create'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flows/{flowId}/triggers/{tid}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a trigger
     * @description For those who may edit the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:flows` or `webhooks` or `api:read` or `read`.
     */
    get: operations['Triggers_read'];
    put?: never;
    post?: never;
    /**
     * Delete a trigger; its plays stay
     * @description For those who may edit the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:flows` or `webhooks`.
     */
    delete: operations['Triggers_remove'];
    options?: never;
    head?: never;
    /**
     * Change, disable or enable a trigger; its address stays
     * @description For those who may edit the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:flows` or `webhooks`.
     */
    patch: operations['Triggers_update'];
    trace?: never;
  };
  '/api/v1/flows/{flowId}/triggers/{tid}/deliveries': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List what arrived at a trigger and was verified, newest first
     * @description For those who may edit the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:flows` or `webhooks` or `api:read` or `read`.
     */
    get: operations['Deliveries_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flows/{flowId}/triggers/{tid}/deliveries/{did}/replay': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Treat a delivery as if it arrived now, in a play of its own
     * @description For those who may edit the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:flows` or `webhooks`.
     */
    post: operations['Deliveries_replay'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flows/{flowId}/triggers/{tid}/listen': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Listen for one call: what arrives next is shown with the trigger, as its sample
     * @description For those who may edit the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:flows` or `webhooks`.
     */
    post: operations['Triggers_listen'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flows/{flowId}/triggers/{tid}/rotate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Give the trigger a new address, which runs the flow for the caller; the one before ends at once
     * @description For those who may edit the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:flows` or `webhooks`.
     */
    post: operations['Triggers_rotate'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flows/{flowId}/validate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Say whether a flow, or a draft of it, could be enabled, and what is doubtful about it
     * @description For those who may read the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:flows`.
     */
    post: operations['Checks_validate'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flows/{flowId}/versions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the versions of a flow, newest first
     * @description For those who may read the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:read` or `api:flows` or `read`.
     */
    get: operations['Versions_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flows/{flowId}/versions/{version}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a flow as it was in a version
     * @description For those who may read the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:read` or `api:flows` or `read`.
     */
    get: operations['Versions_read'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flows/{flowId}/versions/{version}/diff': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read what changed from a version to another one
     * @description For those who may read the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:read` or `api:flows` or `read`.
     */
    get: operations['Versions_diff'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flows/{flowId}/versions/{version}/restore': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Bring back what a version held, as a new version
     * @description For those who may edit the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:flows`.
     */
    post: operations['Versions_restore'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flows/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a flow with its layers
     * @description For those who may read the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:read` or `api:flows` or `read`.
     */
    get: operations['Flows_read'];
    /**
     * Change a flow; fields left out stay as they are
     * @description For those who may edit the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:flows`.
     */
    put: operations['Flows_update'];
    post?: never;
    /**
     * Delete a flow: it is not read or run any more, its plays stay readable
     * @description For those who may delete the flow, by role, by grant or as its maker. API keys need the scope `api`.
     */
    delete: operations['Flows_remove'];
    options?: never;
    head?: never;
    /**
     * The same as PUT
     * @description For those who may edit the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:flows`.
     */
    patch: operations['Flows_patch'];
    trace?: never;
  };
  '/api/v1/flows/{id}/document': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /**
     * Make a flow be as a document says, as one version: what the document leaves out is gone
     * @description For those who may edit the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:flows`.
     */
    put: operations['PutDocuments_put'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flows/{id}/restore': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Bring a deleted flow back; it is disabled then
     * @description For the roles `admin`. API keys need the scope `api`.
     */
    post: operations['Flows_restore'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flows/{id}/run': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Run a flow: the play is accepted durably before the answer
     * @description For those who may execute the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:plays` or `flow:execute`.
     */
    post: operations['Run_run'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flows/{id}/run-batch': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Run a flow up to 1,000 times: each run is accepted or refused by itself
     * @description For those who may execute the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:plays` or `flow:execute`.
     */
    post: operations['Run_runBatch'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flows/by-key/{key}/document': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /**
     * Make the flow with this key be as the document says, or make one
     * @description For the roles `admin`, `flow_editor`. API keys need the scope `api` or `api:flows`.
     */
    put: operations['PutDocuments_putByKey'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/flows/import': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Make a flow of a document
     * @description For the roles `admin`, `flow_editor`. API keys need the scope `api` or `api:flows`.
     */
    post: operations['Documents_import'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/groups': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the groups of the company, newest first
     * @description For the roles `admin`. API keys need the scope `admin` or `api` or `api:read` or `read`.
     */
    get: operations['Groups_list'];
    put?: never;
    /**
     * Make a group of people
     * @description For the roles `admin`. API keys need the scope `admin`.
     */
    post: operations['Groups_create'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/groups/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a group
     * @description For the roles `admin`. API keys need the scope `admin` or `api` or `api:read` or `read`.
     */
    get: operations['Groups_read'];
    put?: never;
    post?: never;
    /**
     * Delete a group, and what was granted to it
     * @description For the roles `admin`. API keys need the scope `admin`.
     */
    delete: operations['Groups_remove'];
    options?: never;
    head?: never;
    /**
     * Rename a group
     * @description For the roles `admin`. API keys need the scope `admin`.
     */
    patch: operations['Groups_rename'];
    trace?: never;
  };
  '/api/v1/groups/{id}/members/{user_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /**
     * Put a user of the company into a group; again is no error
     * @description For the roles `admin`. API keys need the scope `admin`.
     */
    put: operations['Groups_addMember'];
    post?: never;
    /**
     * Take a user out of a group; again is no error
     * @description For the roles `admin`. API keys need the scope `admin`.
     */
    delete: operations['Groups_removeMember'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/integrations': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the integration links that the caller may see, newest first
     * @description For the roles `admin`, `integration_manager`. API keys need the scope `api` or `api:read` or `read`.
     */
    get: operations['Integrations_list'];
    put?: never;
    /**
     * Make an integration link from a token
     * @description For the roles `admin`, `integration_manager`. API keys need the scope `api`.
     */
    post: operations['Integrations_create'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/integrations/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read an integration link
     * @description For the roles `admin`, `integration_manager`. API keys need the scope `api` or `api:read` or `read`.
     */
    get: operations['Integrations_read'];
    put?: never;
    post?: never;
    /**
     * Delete an integration link; layers that use it fail from now on
     * @description For the roles `admin`. API keys need the scope `api`.
     */
    delete: operations['Integrations_remove'];
    options?: never;
    head?: never;
    /**
     * Rename an integration link, or give it another token
     * @description For the roles `admin`, `integration_manager`. API keys need the scope `api`.
     */
    patch: operations['Integrations_update'];
    trace?: never;
  };
  '/api/v1/integrations/{id}/test': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Look whether an integration link works
     * @description For the roles `admin`, `integration_manager`. API keys need the scope `api`.
     */
    post: operations['Integrations_test'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/integrations/connect': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Begin to connect an account at an identity provider, in a browser
     * @description For the roles `admin`, `integration_manager`. Not for API keys.
     */
    post: operations['Integrations_connect'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/kv': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the entries of the key-value store of the company, newest first
     * @description For every role but `none`. API keys need the scope `api` or `api:read` or `read`.
     */
    get: operations['Kv_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/kv/{key}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read an entry
     * @description For every role but `none`. API keys need the scope `api` or `api:read` or `read`.
     */
    get: operations['Kv_read'];
    /**
     * Set an entry, whether it is there or not; or only in the version that If-Match names
     * @description For the roles `admin`, `flow_editor`. API keys need the scope `api`.
     */
    put: operations['Kv_set'];
    post?: never;
    /**
     * Delete an entry; or only in the version that If-Match names
     * @description For the roles `admin`, `flow_editor`. API keys need the scope `api`.
     */
    delete: operations['Kv_remove'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/lanes/{lane}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a lane: which play has the turn, and which ones wait for it
     * @description For every role but `none`. API keys need the scope `api` or `api:read` or `api:plays` or `read`.
     */
    get: operations['Lanes_read'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/lanes/{lane}/skip': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Let a lane go on past the play that has the turn: one that has failed stays as it is, an open one is cancelled
     * @description For the roles `admin`, `flow_editor`. API keys need the scope `api` or `api:plays`.
     */
    post: operations['Lanes_skip'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/mcp-servers': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the MCP servers of the company, newest first
     * @description For the roles `admin`, `flow_editor`, or the roles `admin`, `integration_manager`. API keys need the scope `api` or `api:read` or `api:flows` or `read`.
     */
    get: operations['McpServers_list'];
    put?: never;
    /**
     * Add an MCP server; its tools are read in the background
     * @description For the roles `admin`, `integration_manager`. API keys need the scope `api`.
     */
    post: operations['McpServers_create'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/mcp-servers/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read an MCP server, by its id or its key, with the report of its last refresh
     * @description For the roles `admin`, `flow_editor`, or the roles `admin`, `integration_manager`. API keys need the scope `api` or `api:read` or `api:flows` or `read`.
     */
    get: operations['McpServers_read'];
    put?: never;
    post?: never;
    /**
     * Delete an MCP server with its tools; layers that use them fail from now on
     * @description For the roles `admin`, `integration_manager`. API keys need the scope `api`.
     */
    delete: operations['McpServers_remove'];
    options?: never;
    head?: never;
    /**
     * Rename an MCP server, or change its key, its link or its era
     * @description For the roles `admin`, `integration_manager`. API keys need the scope `api`.
     */
    patch: operations['McpServers_update'];
    trace?: never;
  };
  '/api/v1/mcp-servers/{id}/adopt': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Have flows call the tools as they are now: new versions, after their test cases ran
     * @description For the roles `admin`, `flow_editor`, or the roles `admin`, `integration_manager`. API keys need the scope `api` or `api:flows`.
     */
    post: operations['McpServers_adopt'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/mcp-servers/{id}/authorize': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Make a link of the authorization server that an MCP server names, and have the server use it
     * @description For the roles `admin`, `integration_manager`. API keys need the scope `api`.
     */
    post: operations['McpServers_authorize'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/mcp-servers/{id}/diff': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Show what the last refresh found, and which flows, layers and test cases it concerns
     * @description For the roles `admin`, `flow_editor`, or the roles `admin`, `integration_manager`. API keys need the scope `api` or `api:read` or `api:flows` or `read`.
     */
    get: operations['McpServers_diff'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/mcp-servers/{id}/refresh': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Read the tools anew, or only compare them; flows stay pinned to what they were saved with
     * @description For the roles `admin`, `integration_manager`. API keys need the scope `api`.
     */
    post: operations['McpServers_refresh'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/mcp-servers/{id}/tools': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the tools of an MCP server by name
     * @description For the roles `admin`, `flow_editor`, or the roles `admin`, `integration_manager`. API keys need the scope `api` or `api:read` or `api:flows` or `read`.
     */
    get: operations['McpServers_listTools'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/mcp-servers/{id}/tools/{name}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a tool: the schemas of its arguments and its answers
     * @description For the roles `admin`, `flow_editor`, or the roles `admin`, `integration_manager`. API keys need the scope `api` or `api:read` or `api:flows` or `read`.
     */
    get: operations['McpServers_readTool'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/modules': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the modules that layers can use
     * @description For everybody who is signed in. API keys need the scope `api` or `api:read` or `api:flows` or `read`.
     */
    get: operations['Modules_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/modules/{appId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read what a module takes and gives
     * @description For everybody who is signed in. API keys need the scope `api` or `api:read` or `api:flows` or `read`.
     */
    get: operations['Modules_read'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/modules/{appId}/face': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read what a layer takes and gives by what its arguments name, an operation of an API for example
     * @description For everybody who is signed in. API keys need the scope `api` or `api:read` or `api:flows` or `read`.
     */
    get: operations['Modules_face'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/payloads': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Upload a file, or large args, for runs to refer to
     * @description For the roles `admin`, `flow_editor`, `flow_executor`, or the roles `admin`, `integration_manager`. API keys need the scope `api` or `api:plays` or `flow:execute`.
     */
    post: operations['Payloads_upload'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/payloads/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Download a file: an upload of your own, or one of a play that you may read
     * @description For those who may read the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:read` or `api:plays` or `flow:execute` or `read`.
     */
    get: operations['Payloads_download'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/plays': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List plays of all flows that the caller may read, newest first
     * @description For everybody who is signed in. API keys need the scope `api` or `api:read` or `api:plays` or `read`.
     */
    get: operations['Plays_list'];
    put?: never;
    /**
     * Run the flow that the body names
     * @description For those who may execute the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:plays` or `flow:execute`.
     */
    post: operations['Run_runFlow'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/plays/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a play
     * @description For those who may read the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:read` or `api:plays` or `flow:execute` or `read`.
     */
    get: operations['Plays_read'];
    put?: never;
    post?: never;
    /**
     * Erase a play that has ended, with its outputs
     * @description For the roles `admin`. API keys need the scope `api`.
     */
    delete: operations['Plays_erase'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/plays/{id}/approvals': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the approvals that a play waits for now, with a link to decide each
     * @description For those who may read the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:read` or `api:plays` or `flow:execute` or `read`.
     */
    get: operations['Approvals_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/plays/{id}/approvals/{ref}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Decide an approval that a play waits for
     * @description For those that the layer names (users, groups), for editors when it names nobody, and for admins.
     *
     *     For everybody who is signed in. API keys need the scope `api` or `api:plays`.
     */
    post: operations['Approvals_decide'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/plays/{id}/cancel': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * End a play as FAIL with the code cancelled; what runs of it is aborted
     * @description For those who may execute the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:plays`.
     */
    post: operations['PlayCommands_cancel'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/plays/{id}/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read what has happened in a play so far: the frames of its live stream
     * @description For those who may read the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:read` or `api:plays` or `flow:execute` or `read`.
     */
    get: operations['Plays_readEvents'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/plays/{id}/hold': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Hold a play: the layer that runs finishes, the next one waits for the release
     * @description For those who may execute the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:plays`.
     */
    post: operations['PlayCommands_hold'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/plays/{id}/layers': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read what each layer of a play did
     * @description For those who may read the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:read` or `api:plays` or `flow:execute` or `read`.
     */
    get: operations['Plays_readLayers'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/plays/{id}/layers/{ref}/input': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read what a layer was given: its arguments with values instead of expressions
     * @description For those who may read the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:read` or `api:plays` or `flow:execute` or `read`.
     */
    get: operations['Plays_readInput'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/plays/{id}/layers/{ref}/items': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the items, pages or rounds of a loop that have ended, in their order, also while it runs
     * @description For those who may read the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:read` or `api:plays` or `flow:execute` or `read`.
     */
    get: operations['Plays_readItems'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/plays/{id}/layers/{ref}/out': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read the whole output of a layer, however large
     * @description For those who may read the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:read` or `api:plays` or `flow:execute` or `read`.
     */
    get: operations['Plays_readOutput'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/plays/{id}/release': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Let a held play go on
     * @description For those who may execute the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:plays`.
     */
    post: operations['PlayCommands_release'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/plays/{id}/rerun': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Run the flow as it is now with the args of this play, or others
     * @description For those who may execute the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:plays`.
     */
    post: operations['PlayRetries_rerun'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/plays/{id}/resume': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * End a wait-event, a delay, or the pause before a retry or a round
     * @description An answer for a wait-event or a delay that comes before the layer waits is kept for it.
     *
     *     For those who may execute the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:plays`.
     */
    post: operations['PlayCommands_resume'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/plays/{id}/retry': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Run what failed again: a new play that takes over what was done
     * @description For those who may execute the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:plays`.
     */
    post: operations['PlayRetries_retry'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/plays/{id}/waiting': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Say why a play does not go on, and how long its queue is
     * @description For those who may read the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:read` or `api:plays` or `flow:execute` or `read`.
     */
    get: operations['Plays_readWaiting'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/plays/bulk': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Cancel or retry many plays, by id or by filter
     * @description While `changed` is not 0 and `matched` is more than `changed` and `skipped` together, call again.
     *
     *     For the roles `admin`, `flow_editor`. API keys need the scope `api` or `api:plays`.
     */
    post: operations['PlayRetries_changeMany'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/plays/counts': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Count the plays of each state that the list would show
     * @description For everybody who is signed in. API keys need the scope `api` or `api:read` or `api:plays` or `read`.
     */
    get: operations['Plays_count'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/scheduler/jobs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List schedules of the flows that the caller may read, newest first
     * @description For every role but `none`. API keys need the scope `api` or `api:read` or `api:flows` or `read`.
     */
    get: operations['Scheduler_list'];
    put?: never;
    /**
     * Run a flow at times, with the rights of the caller
     * @description For the roles `admin`, `flow_editor`. API keys need the scope `api` or `api:flows`.
     */
    post: operations['Scheduler_create'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/scheduler/jobs/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a schedule
     * @description For every role but `none`. API keys need the scope `api` or `api:read` or `api:flows` or `read`.
     */
    get: operations['Scheduler_read'];
    put?: never;
    post?: never;
    /**
     * Delete a schedule; its plays stay
     * @description For the roles `admin`, `flow_editor`. API keys need the scope `api` or `api:flows`.
     */
    delete: operations['Scheduler_remove'];
    options?: never;
    head?: never;
    /**
     * Change, pause or wake a schedule: slots that were to come are those of the new one
     * @description For the roles `admin`, `flow_editor`. API keys need the scope `api` or `api:flows`.
     */
    patch: operations['Scheduler_update'];
    trace?: never;
  };
  '/api/v1/scheduler/jobs/{id}/run': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Run it once now, besides its slots
     * @description For those who may execute the flow, by role, by grant or as its maker. API keys need the scope `api` or `api:flows` or `api:plays`.
     */
    post: operations['Scheduler_run'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/scheduler/preview': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The next five slots of a schedule that need not exist
     * @description For every role but `none`. API keys need the scope `api` or `api:read` or `api:flows` or `read`.
     */
    get: operations['Scheduler_preview'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/users': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the users of the company, newest first
     * @description For the roles `admin`, or the roles `admin`, `audit_viewer`. API keys need the scope `admin` or `api` or `api:read` or `read`.
     */
    get: operations['Users_list'];
    put?: never;
    /**
     * Make a user of the company
     * @description For the roles `admin`. API keys need the scope `admin`.
     */
    post: operations['Users_create'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/users/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a user of the company
     * @description For the roles `admin`, or the roles `admin`, `audit_viewer`. API keys need the scope `admin` or `api` or `api:read` or `read`.
     */
    get: operations['Users_read'];
    put?: never;
    post?: never;
    /**
     * Take the user out of the company; the account goes with its last company
     * @description For the roles `admin`. API keys need the scope `admin`.
     */
    delete: operations['Users_remove'];
    options?: never;
    head?: never;
    /**
     * Change name, roles, or whether the user may come in; fields left out stay as they are
     * @description For the roles `admin`. API keys need the scope `admin`.
     */
    patch: operations['Users_change'];
    trace?: never;
  };
  '/api/v1/users/{id}/activity': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List what a user did in the company, newest first
     * @description For the roles `admin`, `audit_viewer`. API keys need the scope `api` or `api:read` or `read`.
     */
    get: operations['Users_activity'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/users/{id}/password-reset': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * End the password and all sessions of a user, and make a link to choose a new one
     * @description For the roles `admin`. API keys need the scope `admin`.
     */
    post: operations['Users_resetPassword'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/webhooks': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List endpoints of webhooks, newest first
     * @description For the roles `admin`. API keys need the scope `api` or `webhooks` or `admin` or `api:read` or `read`.
     */
    get: operations['Webhooks_list'];
    put?: never;
    /**
     * Make an endpoint that gets events from now on
     * @description For the roles `admin`. API keys need the scope `api` or `webhooks` or `admin`.
     */
    post: operations['Webhooks_create'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/webhooks/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read an endpoint
     * @description For the roles `admin`. API keys need the scope `api` or `webhooks` or `admin` or `api:read` or `read`.
     */
    get: operations['Webhooks_read'];
    put?: never;
    post?: never;
    /**
     * Delete an endpoint with its deliveries
     * @description For the roles `admin`. API keys need the scope `api` or `webhooks` or `admin`.
     */
    delete: operations['Webhooks_remove'];
    options?: never;
    head?: never;
    /**
     * Change, disable or enable an endpoint
     * @description For the roles `admin`. API keys need the scope `api` or `webhooks` or `admin`.
     */
    patch: operations['Webhooks_update'];
    trace?: never;
  };
  '/api/v1/webhooks/{id}/deliveries': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List deliveries of an endpoint with their attempts, newest first
     * @description For the roles `admin`. API keys need the scope `api` or `webhooks` or `admin` or `api:read` or `read`.
     */
    get: operations['WebhookDeliveries_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/webhooks/{id}/deliveries/{delivery_id}/replay': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send a delivery again, with the same webhook-id
     * @description For the roles `admin`. API keys need the scope `api` or `webhooks` or `admin`.
     */
    post: operations['WebhookDeliveries_replayOne'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/webhooks/{id}/replay': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send the events of a time again, in the background
     * @description For the roles `admin`. API keys need the scope `api` or `webhooks` or `admin`.
     */
    post: operations['WebhookDeliveries_replayMany'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/webhooks/{id}/replays': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List replays of an endpoint, newest first
     * @description For the roles `admin`. API keys need the scope `api` or `webhooks` or `admin` or `api:read` or `read`.
     */
    get: operations['WebhookDeliveries_listReplays'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/webhooks/{id}/replays/{replay_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read how far a replay is
     * @description For the roles `admin`. API keys need the scope `api` or `webhooks` or `admin` or `api:read` or `read`.
     */
    get: operations['WebhookDeliveries_readReplay'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/webhooks/{id}/rotate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Make a new secret; the one before signs, too, for 24 hours
     * @description For the roles `admin`. API keys need the scope `api` or `webhooks` or `admin`.
     */
    post: operations['Webhooks_rotate'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/webhooks/{id}/test': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send a signed test event now, once
     * @description For the roles `admin`. API keys need the scope `api` or `webhooks` or `admin`.
     */
    post: operations['WebhookDeliveries_test'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/approve': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The page that a link of an approval opens; the same for all, it changes nothing
     * @description Public: no credential is asked for.
     */
    get: operations['ApprovalLinks_page'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/auth/callback': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Where an identity provider sends the browser back to
     * @description Public: no credential is asked for.
     */
    get: operations['OAuthSignIn_comeBack'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/auth/login/{provider}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Begin to sign in at an identity provider
     * @description Public: no credential is asked for.
     */
    get: operations['OAuthSignIn_setOut'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/auth/logout': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * End the session and clear the cookie
     * @description Public: no credential is asked for.
     */
    post: operations['Auth_logout_auth'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/health': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Whether the process can do its work
     * @description Public: no credential is asked for.
     */
    get: operations['Health_read'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/health/live': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Whether the process turns: for liveness probes
     * @description Public: no credential is asked for.
     */
    get: operations['Health_live'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/health/ready': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Whether it takes requests: for readiness probes; not while it drains
     * @description Public: no credential is asked for.
     */
    get: operations['Health_ready'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/hooks/{token}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Deliver something to a trigger that takes GET, or check its address
     * @description Public: no credential is asked for.
     */
    get: operations['Hooks_deliverByGet'];
    /**
     * Deliver something to a trigger that takes PUT
     * @description Public: no credential is asked for.
     */
    put: operations['Hooks_deliverByPut'];
    /**
     * Deliver something to a trigger: the play is accepted durably before the answer
     * @description Public: no credential is asked for.
     */
    post: operations['Hooks_deliver'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/hooks/plays/{token}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Answer the wait of a play, at the address that it gave out: once
     * @description Public: no credential is asked for.
     */
    post: operations['CallBacks_call'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/metrics': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read the metrics of the process, for Prometheus
     * @description For callers on the same machine; with METRICS_TOKEN as a bearer token also for others.
     */
    get: operations['Metrics_read'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/oauth/client.json': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Describe this Weft as a client of authorization servers
     * @description Public: no credential is asked for.
     */
    get: operations['ClientDocument_read'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export interface webhooks {
  'flow.changed': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A flow or its layers were changed. */
    post: operations['on_flow_changed'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'play.accepted': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A run was accepted. */
    post: operations['on_play_accepted'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'play.done': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A play has ended well. */
    post: operations['on_play_done'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'play.failed': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A play has failed, or was cancelled. */
    post: operations['on_play_failed'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'play.filtered': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A filter of the flow did not let the play pass. */
    post: operations['on_play_filtered'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'play.skipped': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A run was not to happen: its condition was false, or the play before it is still open. */
    post: operations['on_play_skipped'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'play.waiting': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A play waits for an event, an approval or another play. */
    post: operations['on_play_waiting'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'schedule.missed': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Slots of a schedule have passed without a run. */
    post: operations['on_schedule_missed'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'webhook.disabled': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Weft has disabled another webhook of the company. */
    post: operations['on_webhook_disabled'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export interface components {
  schemas: {
    AcceptLinkBody: {
      /**
       * @description The password that you choose, 12 characters to 72 bytes; not one that an admin gave you.
       * @example staple gun on thursday
       */
      password: string;
      /**
       * @description From the link of an invitation or of a reset.
       * @example mXl2aV9vYWtlbg
       */
      token: string;
    };
    ActionBody: {
      /** @description Of the event; with expressions. Null: none. */
      key?: string | null;
      /** @description Of the event; with expressions over `$hook`. */
      name: string;
      /** @description For how long it is kept for a play that begins to wait. Default: a day. */
      ttlMs?: number;
      /**
       * @description It is sent as an event to plays that wait.
       * @enum {string}
       */
      type: 'event';
    };
    AdoptApiBody: {
      /**
       * @description Ids of flows that the caller may edit.
       * @example [
       *       "06dqx3v8k2m7w0r5t9ya"
       *     ]
       */
      flows: string[];
    };
    Api: {
      baseUrl: string | null;
      /** Format: date-time */
      createdAt: string;
      createdBy: string;
      description: string | null;
      /** @description Why the last import failed, and what to do. */
      fault: string | null;
      id: string;
      /** Format: date-time */
      importedAt: string | null;
      /** @description The link of the API: see `integrationId` of POST /apis. */
      integrationId: string | null;
      key: string | null;
      name: string;
      /** @description How many it has. */
      operations: number | null;
      /** @description As OpenAPI 3.1 describes them, by name. */
      securitySchemes: {
        [key: string]: unknown;
      };
      servers: {
        [key: string]: unknown;
      }[];
      /** @description Of the document, in hexadecimal. */
      sha256: string | null;
      source:
        | {
            url: string;
          }
        | {
            payload: {
              $ref: string;
            };
          };
      /**
       * @description Of the last import. What was imported before it can be used meanwhile, and after a failure.
       * @enum {string}
       */
      state: 'importing' | 'ready' | 'failed';
      /** @description Of the document, as the next ones; null until an import has succeeded. */
      title: string | null;
      /** Format: date-time */
      updatedAt: string;
      version: string | null;
    };
    ApiAdoption: {
      items: {
        /** @description Why it was refused: a code of refusals. */
        code: string | null;
        errors: {
          code: string;
          message: string;
          path: string;
        }[];
        flowId: string;
        message: string | null;
        /** @enum {string} */
        result: 'adopted' | 'unchanged' | 'refused';
        version: number | null;
      }[];
    };
    ApiDiff: {
      /** @description Those that the caller may read, by their newest version. */
      flows: {
        flowId: string;
        layers: {
          changes: {
            breaks: boolean;
            /** @description In dots; `*` for the elements of a list, and for fields without a name. */
            path: string;
            /**
             * @description `plan`: how it is sent.
             * @enum {string}
             */
            place: 'args' | 'out' | 'plan';
            /** @enum {string} */
            what: 'added' | 'removed' | 'required' | 'optional' | 'type' | 'values' | 'choices' | 'bounds' | 'unknown';
          }[];
          /** @description Of the state that differs from the document; null: there is none. */
          digest: string | null;
          operation: string;
          ref: string;
          /**
           * @description `changed`: nothing that this flow gives or reads breaks.
           * @enum {string}
           */
          result: 'removed' | 'breaking' | 'changed';
        }[];
        name: string;
        testCases: {
          id: string;
          name: string;
          required: boolean;
        }[];
        version: number;
      }[];
      /** @description The first 1,000, what breaks first; also of earlier states, to which layers may be pinned. */
      operations: {
        changes: {
          breaks: boolean;
          /** @description In dots; `*` for the elements of a list, and for fields without a name. */
          path: string;
          /**
           * @description `plan`: how it is sent.
           * @enum {string}
           */
          place: 'args' | 'out' | 'plan';
          /** @enum {string} */
          what: 'added' | 'removed' | 'required' | 'optional' | 'type' | 'values' | 'choices' | 'bounds' | 'unknown';
        }[];
        /** @description Of the state that differs from the document; null: there is none. */
        digest: string | null;
        operation: string;
        /** @enum {string} */
        result: 'added' | 'removed' | 'changed' | 'breaking';
      }[];
      refresh: {
        /** Format: date-time */
        at: string;
        counts: {
          added: number;
          breaking: number;
          changed: number;
          removed: number;
        };
        /** @description It only compared. */
        dryRun: boolean;
      } | null;
    };
    ApiKey: {
      company_id: string;
      /** Format: date-time */
      created_at: string;
      /** Format: date-time */
      expires_at: string;
      id: string;
      /** Format: date-time */
      last_used_at: string | null;
      mcp: {
        decide_approvals?: boolean;
        drafts_only?: boolean;
        flow_ids?: string[];
        plays_per_minute?: number;
      } | null;
      name: string;
      /** Format: date-time */
      revoked_at: string | null;
      scope: string;
      user_id: string;
    };
    ApiKeyPage: {
      items: components['schemas']['ApiKey'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
      page: number;
      size: number;
      /** @description Exact up to 10,000. */
      total: number;
      /** @description There are more than `total`. */
      totalCapped: boolean;
    };
    ApiOperation: {
      /** @description JSON Schema of `{ path, query, headers, cookies, body, contentType }`. */
      argsSchema: {
        [key: string]: unknown;
      };
      /** @description The last import has it as it is here. */
      current: boolean;
      deprecated: boolean;
      description: string;
      /** @description Of what it does, without its texts. */
      digest: string;
      /** @enum {string} */
      kind: 'openapi' | 'mcp';
      /** @description What layers name it by. */
      name: string;
      /** @description JSON Schema of `{ statusCode, headers, body, durationMs }`. */
      outSchema: {
        [key: string]: unknown;
      };
      /** @description How it is sent: method, path, servers, parameters, body, security, paging. */
      plan: {
        [key: string]: unknown;
      };
      /** @description Links that show what is asked for: bodies of POST /integrations, without name, type and secrets. What no kind of link can show is left out. */
      security: {
        /** @description What the document says of the credential. */
        description: string;
        endpoint: string | null;
        /** @enum {string} */
        kind:
          | 'bearer'
          | 'header'
          | 'basic'
          | 'query'
          | 'hmac'
          | 'headers'
          | 'aws_sigv4'
          | 'oauth2_client_credentials'
          | 'oauth2';
        /** @description Security schemes of the document, all of which the link shows. */
        schemes: string[];
        scopes: string[];
        /** @description As of a link. */
        settings: {
          [key: string]: unknown;
        };
      }[];
      tags: string[];
      title: string;
    };
    ApiOperationHead: {
      deprecated: boolean;
      description: string;
      /** @description Of what it does, without its texts. */
      digest: string;
      /** @enum {string} */
      kind: 'openapi' | 'mcp';
      method: string;
      /** @description What layers name it by. */
      name: string;
      path: string;
      tags: string[];
      title: string;
    };
    ApiOperationPage: {
      items: components['schemas']['ApiOperationHead'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
      page: number;
      size: number;
      /** @description Exact up to 10,000. */
      total: number;
      /** @description There are more than `total`. */
      totalCapped: boolean;
    };
    ApiPage: {
      items: components['schemas']['Api'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
      page: number;
      size: number;
      /** @description Exact up to 10,000. */
      total: number;
      /** @description There are more than `total`. */
      totalCapped: boolean;
    };
    ApiSourceBody: {
      /** @description The document itself, as JSON or YAML. */
      document?: string;
      /** @description A document that was uploaded by POST /payloads: `{ $ref }` of its answer. */
      payload?: {
        [key: string]: unknown;
      };
      /**
       * @description Address of the document; Weft fetches it as layers call: public addresses, and those that an operator allows.
       * @example https://api.example.com/openapi.json
       */
      url?: string;
    };
    ApiWithReport: {
      baseUrl: string | null;
      /** Format: date-time */
      createdAt: string;
      createdBy: string;
      description: string | null;
      /** @description Why the last import failed, and what to do. */
      fault: string | null;
      id: string;
      /** Format: date-time */
      importedAt: string | null;
      /** @description The link of the API: see `integrationId` of POST /apis. */
      integrationId: string | null;
      key: string | null;
      /** @description Whether layers of yours may call with the link `integrationId`; false also without one. */
      mayUseLink: boolean;
      name: string;
      /** @description How many it has. */
      operations: number | null;
      /** @description An OpenAPI Overlay 1.0, which each import applies to the document; null: none. */
      overlay: {
        [key: string]: unknown;
      } | null;
      report: {
        operations: number;
        /** @description Operations that were left out; the first 200. */
        skipped: {
          path: string;
          reason: string;
        }[];
        skippedCount: number;
        /** @description What was taken otherwise than the document says; the first 200. */
        warnings: {
          path: string;
          reason: string;
        }[];
        warningsCount: number;
      } | null;
      /** @description Links that show what is asked for: bodies of POST /integrations, without name, type and secrets. What no kind of link can show is left out. */
      security: {
        /** @description What the document says of the credential. */
        description: string;
        endpoint: string | null;
        /** @enum {string} */
        kind:
          | 'bearer'
          | 'header'
          | 'basic'
          | 'query'
          | 'hmac'
          | 'headers'
          | 'aws_sigv4'
          | 'oauth2_client_credentials'
          | 'oauth2';
        /** @description Security schemes of the document, all of which the link shows. */
        schemes: string[];
        scopes: string[];
        /** @description As of a link. */
        settings: {
          [key: string]: unknown;
        };
      }[];
      /** @description As OpenAPI 3.1 describes them, by name. */
      securitySchemes: {
        [key: string]: unknown;
      };
      servers: {
        [key: string]: unknown;
      }[];
      /** @description Of the document, in hexadecimal. */
      sha256: string | null;
      source:
        | {
            url: string;
          }
        | {
            payload: {
              $ref: string;
            };
          };
      /**
       * @description Of the last import. What was imported before it can be used meanwhile, and after a failure.
       * @enum {string}
       */
      state: 'importing' | 'ready' | 'failed';
      /** @description Of its operations, the commonest first; the first 200. */
      tags: {
        name: string;
        operations: number;
      }[];
      /** @description Of the document, as the next ones; null until an import has succeeded. */
      title: string | null;
      /** Format: date-time */
      updatedAt: string;
      version: string | null;
    };
    ApprovalLink: {
      /** @description E-mail address of who decides; null when that is not known. */
      decidesAs: string | null;
      flow: string | null;
      mayDecide: boolean;
      message: string | null;
      needsSignIn: boolean;
      playId: string;
      ref: string;
      /** @enum {string} */
      standing: 'not_yet' | 'open' | 'decided' | 'ended';
      /** Format: date-time */
      until: string | null;
    };
    ApprovalLinkBody: {
      /**
       * @description What stands in the link behind the #.
       * @example v1.MDZkcXgzdjhrMm03
       */
      token: string;
    };
    AuditEntry: {
      /** @enum {string} */
      action_type:
        | 'flow_created'
        | 'flow_updated'
        | 'flow_deleted'
        | 'flow_restored'
        | 'flow_erased'
        | 'flow_version_restored'
        | 'flow_published'
        | 'flow_imported'
        | 'flow_instantiated'
        | 'test_case_created'
        | 'test_case_updated'
        | 'test_case_deleted'
        | 'sample_kept'
        | 'sample_removed'
        | 'layer_tried'
        | 'schedule_created'
        | 'schedule_updated'
        | 'schedule_deleted'
        | 'trigger_created'
        | 'trigger_updated'
        | 'trigger_rotated'
        | 'trigger_listened'
        | 'trigger_deleted'
        | 'layer_created'
        | 'layer_updated'
        | 'layer_deleted'
        | 'layers_reordered'
        | 'play_held'
        | 'play_released'
        | 'play_cancelled'
        | 'play_resumed'
        | 'approval_decided'
        | 'agent_tool_called'
        | 'play_deleted'
        | 'bulk_started'
        | 'bulk_aborted'
        | 'login_succeeded'
        | 'login_failed'
        | 'logout'
        | 'session_ended'
        | 'company_switched'
        | 'password_changed'
        | 'api_key_created'
        | 'api_key_revoked'
        | 'oauth_provider_created'
        | 'oauth_provider_updated'
        | 'oauth_provider_deleted'
        | 'external_identity_linked'
        | 'external_identity_unlinked'
        | 'company_assigned'
        | 'integration_created'
        | 'integration_updated'
        | 'integration_deleted'
        | 'api_created'
        | 'api_updated'
        | 'api_refreshed'
        | 'api_deleted'
        | 'mcp_server_created'
        | 'mcp_server_updated'
        | 'mcp_server_refreshed'
        | 'mcp_server_deleted'
        | 'destination_updated'
        | 'destination_paused'
        | 'destination_released'
        | 'lane_skipped'
        | 'flow_group_created'
        | 'flow_group_updated'
        | 'flow_group_deleted'
        | 'grant_created'
        | 'grant_updated'
        | 'grant_deleted'
        | 'user_created'
        | 'user_updated'
        | 'user_deactivated'
        | 'user_reactivated'
        | 'user_removed'
        | 'role_changed'
        | 'password_reset'
        | 'company_created'
        | 'company_updated'
        | 'company_export_requested'
        | 'company_exported'
        | 'company_import_requested'
        | 'company_imported'
        | 'company_erasure_requested'
        | 'company_erased'
        | 'group_created'
        | 'group_updated'
        | 'group_deleted'
        | 'group_member_added'
        | 'group_member_removed'
        | 'kv_entry_set'
        | 'kv_entry_deleted'
        | 'config_changed'
        | 'audit_exported'
        | 'job_requested'
        | 'migration_run'
        | 'policy_created'
        | 'policy_updated'
        | 'policy_deleted'
        | 'retention_cleanup_run'
        | 'webhook_created'
        | 'webhook_updated'
        | 'webhook_deleted'
        | 'webhook_rotated'
        | 'webhook_disabled'
        | 'webhook_replayed'
        | 'schedule_missed'
        | 'failure_not_handled';
      changes: {
        [key: string]: unknown;
      };
      collection: string;
      company_id: string | null;
      duration_ms: number | null;
      entries_deleted: number | null;
      id: string;
      /** @enum {string} */
      outcome: 'success' | 'failure';
      reason: string | null;
      request_id: string | null;
      resource_id: string | null;
      resource_type: string | null;
      /** Format: date-time */
      timestamp: string;
      UserEmail: string | null;
      UserID: string | null;
      UserIPAddress: string | null;
    };
    AuditEntryPage: {
      items: components['schemas']['AuditEntry'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
      page: number;
      size: number;
      /** @description Exact up to 10,000. */
      total: number;
      /** @description There are more than `total`. */
      totalCapped: boolean;
    };
    AuthorizeMcpServerBody: {
      /**
       * @description A client that was registered at the authorization server by hand. Left out: that of Weft.
       * @example weft-at-the-wiki
       */
      client_id?: string;
      /** @description Its secret, if it has one; never shown again. */
      client_secret?: string;
    };
    Backtest: {
      /** @description Fewer than asked for when fewer have ended, or the time was over. */
      compared: number;
      different: number;
      items: {
        differences: {
          /** @description What the version would do; null for nothing. */
          after: unknown;
          /** @description What the play recorded; null for nothing. */
          before: unknown;
          /** @description Place in the layer's out; `$state`, `$error` and `$out` are those of the layer or the play, `$args` is what the layer would be called with. */
          path: string;
          /** @description The layer; null: the play as a whole. */
          ref: string | null;
        }[];
        /** @description Layers for which the play recorded no answer. */
        missing: string[];
        playId: string;
        /** @enum {string} */
        result: 'same' | 'different' | 'unresolved';
      }[];
      same: number;
      unresolved: number;
    };
    BacktestBody: {
      /**
       * @description The edited flow, as `GET /flows/:id/export` writes it; `[left out]` means what the flow has there.
       * @example {
       *       "schema": "weft.flow/1",
       *       "name": "Order intake",
       *       "layers": [
       *         {
       *           "ref": "fetch",
       *           "appId": "web-request",
       *           "args": {
       *             "url": "https://api.example.com/orders"
       *           }
       *         }
       *       ]
       *     }
       */
      document?: {
        [key: string]: unknown;
      };
      /** @description How many plays, the last ones that have ended; 50 when left out. */
      last?: number;
      /** @description A version of the flow; its present one when neither this nor `document` is given. */
      version?: number;
    };
    BlueprintVarList: {
      items: {
        name: string;
        refs: string[];
      }[];
    };
    Bulk: {
      action: string;
      changed: number;
      /** Format: date-time */
      completedAt: string | null;
      /** Format: date-time */
      createdAt: string;
      /** @description Could not be changed because of an error. */
      failed: number;
      id: string;
      /** @description Counted at the start, up to 1,000,000. */
      matched: number;
      /** @description Looked at and left: ended, retried before, not allowed, flow disabled. */
      skipped: number;
      /** @enum {string} */
      state: 'running' | 'done' | 'aborted';
    };
    BulkAnswer: {
      /** @description At most 1,000 a call. */
      changed: number;
      /** @description Counted up to 10,000. */
      matched: number;
      /** @description Looked at and left: ended, retried before, not allowed, flow disabled. */
      skipped: number;
    };
    BulkBody: {
      /**
       * @description What to do to each of them.
       * @enum {string}
       */
      action: 'cancel' | 'retry';
      /** @description All plays of the company that the action can change. */
      all?: boolean;
      /** @description Count the plays, change none. */
      dryRun?: boolean;
      /**
       * @description Plays that match, newest first; without a state, in those that the action can change. An empty one is refused.
       * @example {
       *       "state": "FAIL",
       *       "from": "2026-11-21T09:00:00Z"
       *     }
       */
      filter?: components['schemas']['BulkFilter'];
      /** @description These plays. Give ids, a filter or all. */
      ids?: string[];
    };
    BulkFilter: {
      /**
       * Format: date-time
       * @description Ended at this time or later.
       */
      endedFrom?: string;
      /**
       * Format: date-time
       * @description Ended before this time.
       */
      endedTo?: string;
      /** @description Failed with this `error.code`. */
      errorCode?: string;
      /** @description Of this flow. */
      flowId?: string;
      /**
       * Format: date-time
       * @description Accepted at this time or later.
       */
      from?: string;
      /** @description With this idempotency key. */
      idempotencyKey?: string;
      /** @description With an idempotency key that begins like this, in upper and lower case. */
      idempotencyKeyPrefix?: string;
      /** @description With this label, as `key:value`; of several: with all of them. */
      label?: string[];
      /**
       * @description `true`: failed plays that a later retry has brought to DONE or FILTERED. `false`: all others.
       * @enum {string}
       */
      mended?: 'true' | 'false';
      /**
       * @description Pausing before a failed layer is called again.
       * @enum {string}
       */
      retrying?: 'true';
      /** @description Plays in these states. Several with commas between them, or in several parameters of this name. */
      state?: string;
      /**
       * Format: date-time
       * @description Accepted before this time.
       */
      to?: string;
      /**
       * @description Started this way.
       * @enum {string}
       */
      trigger?: 'api' | 'schedule' | 'retry' | 'rerun' | 'flow' | 'hook' | 'mcp';
    };
    BulkMatch: {
      matched: number;
    };
    BulkPage: {
      items: components['schemas']['Bulk'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
      page: number;
      size: number;
      /** @description Exact up to 10,000. */
      total: number;
      /** @description There are more than `total`. */
      totalCapped: boolean;
    };
    CancelBody: {
      /**
       * @description Why: it is shown with the play.
       * @example wrong file
       */
      reason?: string;
    };
    ChallengeBody: {
      /**
       * @description `text`: the value alone. `json`: an object with the field.
       * @enum {string}
       */
      as?: 'text' | 'json';
      /** @description Its name. */
      field: string;
      /**
       * @description Where the value is that is given back.
       * @enum {string}
       */
      in: 'query' | 'body';
      /** @description A condition over `$hook`, for example that a verify token is right. Query parameters are not hidden in it. */
      when?: string | null;
    };
    ChangePasswordBody: {
      /**
       * @description The one that you sign in with now.
       * @example correct horse battery
       */
      current_password: string;
      /**
       * @description 12 characters to 72 bytes.
       * @example staple gun on thursday
       */
      new_password: string;
    };
    Company: {
      active: boolean;
      backlog_max: number | null;
      bytes_max: number | null;
      /** Format: date-time */
      created_at: string;
      erasing: boolean;
      id: string;
      name: string;
      runs_per_second: number | null;
      worker_label: string | null;
    };
    CompanyJob: {
      /** @description Of an import: the company that it makes. */
      company_id: string;
      company_name: string;
      /** Format: date-time */
      completed_at: string | null;
      /** @description Documents by collection that were exported, imported or erased so far. */
      counts: {
        [key: string]: number;
      };
      /** Format: date-time */
      created_at: string;
      /** @description Why it failed. */
      error: string | null;
      /** @description Of an export that is done: where it is downloaded, for a day. */
      file: string | null;
      id: string;
      /** @enum {string} */
      kind: 'export' | 'import' | 'erasure';
      /** @description Of an import: what stayed behind or is switched off, by kind, at most 1,000 names of each. */
      left_to_give: {
        [key: string]: string[];
      };
      /** @description E-mail address of the operator. */
      requested_by: string;
      /** @enum {string} */
      state: 'running' | 'done' | 'failed';
    };
    CompanyJobPage: {
      items: components['schemas']['CompanyJob'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
      page: number;
      size: number;
      /** @description Exact up to 10,000. */
      total: number;
      /** @description There are more than `total`. */
      totalCapped: boolean;
    };
    CompanyPage: {
      items: components['schemas']['Company'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
      page: number;
      size: number;
      /** @description Exact up to 10,000. */
      total: number;
      /** @description There are more than `total`. */
      totalCapped: boolean;
    };
    CompanyUsage: {
      company_id: string;
      days: {
        /** @description Such as 2026-11-30. */
        day: string;
        failed: number;
        /** @description From the start of each to its end, waits included. */
        layer_seconds: number;
        /** @description Layers that ended DONE or FAIL. */
        layers: number;
        /** @description As far as prices are known. */
        model_dollars: number;
        model_tokens: number;
        /** @description Plays that ended, without those that a condition skipped. */
        plays: number;
      }[];
      /** Format: date-time */
      from: string;
      /** @description Bytes of files and large values, as they were measured last: every hour, every minute where they are limited. */
      stored: {
        /** Format: date-time */
        at: string;
        bytes: number;
      } | null;
      /** @description Bytes of plays, in the same way; of more than 100,000 plays about. */
      stored_plays: {
        /** Format: date-time */
        at: string;
        bytes: number;
      } | null;
      /** Format: date-time */
      to: string;
      total: {
        failed: number;
        /** @description From the start of each to its end, waits included. */
        layer_seconds: number;
        /** @description Layers that ended DONE or FAIL. */
        layers: number;
        /** @description As far as prices are known. */
        model_dollars: number;
        model_tokens: number;
        /** @description Plays that ended, without those that a condition skipped. */
        plays: number;
      };
    };
    Config: {
      items: {
        changeable: boolean;
        /** @description Any JSON value. */
        default: unknown;
        /** @description Section and name. */
        key: string;
        /** @enum {string} */
        source: 'default' | 'environment' | 'file' | 'run time';
        /** @description In effect; of a secret only whether it is set. So is, for others than operators, what tells of the machine or its network. */
        value: unknown;
      }[];
    };
    ConnectBody: {
      /** @description Instead of a provider: id of a link of the kind `oauth2`. */
      integration_id?: string;
      /**
       * @description Id of the identity provider.
       * @example 06dqx3v8k2m7w0r5t9ya
       */
      provider?: string;
      /** @description Path on this site to go to in the end; by default /. */
      returnTo?: string;
    };
    CreateApiBody: {
      /** @description Takes the place of the servers of the document, for an installation of your own; null: those hold. */
      baseUrl?: string | null;
      /** @description The link of the API: the document is fetched with it where that is at the origin of its endpoint, and forms of layers begin with it. Layers name their own. */
      integrationId?: string | null;
      /**
       * @description What layers may name it by instead of its id; unique in the company.
       * @example orders
       */
      key?: string | null;
      /**
       * @description What people call it.
       * @example Orders of the shop
       */
      name: string;
      /** @description Where the document is: exactly one of url, document and payload. */
      source: components['schemas']['ApiSourceBody'];
    };
    CreateApiKeyBody: {
      /** @description The company that the key acts in: yours. */
      company_id?: string;
      /** @description When the key ends, a time in ISO 8601; by default in 24 hours, at most in a year. */
      expires_at?: string;
      /** @description Limits of a key with the scope mcp. Such a key cannot have the scope admin. */
      mcp?: components['schemas']['McpLimitsBody'];
      /**
       * @description What the key is for.
       * @example Order intake
       */
      name: string;
      /**
       * @description Scopes with commas between them; by default api.
       * @example api:read
       */
      scope?: string;
      /** @description Whose rights the key has; by default your own. */
      user_id?: string;
    };
    CreateCompanyBody: {
      /**
       * @description Need not be unique.
       * @example Heron Works
       */
      name: string;
    };
    CreateFlowBody: {
      /**
       * @description JSON Schema that the args of runs must fit; null: none. Its keywords: docs/flows.md.
       * @example {
       *       "type": "object",
       *       "properties": {
       *         "order": {
       *           "type": "integer"
       *         }
       *       },
       *       "required": [
       *         "order"
       *       ]
       *     }
       */
      argsSchema?: {
        [key: string]: unknown;
      } | null;
      /**
       * @description A word to sort flows by.
       * @example Orders
       */
      category?: string;
      /** @description What the flow is for. */
      description?: string;
      /** @description A disabled flow is not run. */
      enabled?: boolean;
      /** @description The flow group that it belongs to. */
      groupId?: string | null;
      /** @description A blueprint is instantiated, not run. */
      isBlueprint?: boolean;
      /**
       * @description Your own name for it, unique in the company: `PUT /flows/by-key/{key}/document` finds it. null: none.
       * @example order-intake
       */
      key?: string | null;
      /** @description All layers in their order: they replace those that the flow has. Options left out are none. */
      layers?: components['schemas']['FlowLayerBody'][];
      /**
       * @description Need not be unique.
       * @example Order intake
       */
      name: string;
      /** @description Only admins, the creator and grants open it; roles do not. */
      restricted?: boolean;
      /** @description Fields left out stay as they are. */
      settings?: components['schemas']['FlowSettingsBody'];
      /**
       * @description An expression, judged when a run is accepted: false, and the play is SKIP at once. null: always run.
       * @example {{ $prev.args.urgent }}
       */
      when?: string | null;
    };
    CreateFlowGroupBody: {
      /**
       * @description Need not be unique.
       * @example Order intake
       */
      name: string;
    };
    CreateGroupBody: {
      /**
       * @description Need not be unique.
       * @example Night shift
       */
      name: string;
    };
    CreateIntegrationBody: {
      /**
       * @description Token or API key; of a mail server user:password; of a chat the address of its incoming webhook. Never shown again.
       * @example mailer:secret
       */
      access_token?: string;
      /** @description Of the client at the authorization server; never shown again. */
      client_secret?: string;
      /**
       * @description Where the service is: smtp(s)://host:port or imap(s)://host:port of a mail server, postgres://host:port/database or mysql://host:port/database, kafka://host:port,host:port of up to ten brokers, or the base address of an API. Not secret.
       * @example smtps://mail.example.com:465
       */
      endpoint?: string | null;
      /**
       * @description Your own name for it, unique in the company: layers and flow documents may name the link by it. null: none.
       * @example support-mail
       */
      key?: string | null;
      /**
       * @description How requests show the credentials; default: bearer.
       * @enum {string}
       */
      kind?:
        | 'bearer'
        | 'header'
        | 'basic'
        | 'query'
        | 'hmac'
        | 'headers'
        | 'aws_sigv4'
        | 'oauth2_client_credentials'
        | 'oauth2';
      /**
       * @description What people call it.
       * @example Mail of the support team
       */
      name: string;
      /** @description Of `basic`; may be empty; never shown again. */
      password?: string;
      /**
       * @description How often the layers of the company call, over all workers; null: as often as they do.
       * @example {
       *       "limit": 50,
       *       "per": "second"
       *     }
       */
      rate_limit?: components['schemas']['RateLimitBody'] | null;
      /** @description Where type is the id of an identity provider, the access token is renewed by it there. */
      refresh_token?: string | null;
      /** @description What the token was given for. */
      scopes?: string[];
      /** @description Of `headers`: secrets under names of your own. Of `aws_sigv4`: access_key_id, secret_access_key, and session_token of keys that end. Never shown again. */
      secrets?: {
        [key: string]: string;
      };
      /** @description What the kind needs besides its secrets. Not secret. */
      settings?: components['schemas']['LinkSettingsBody'];
      /** @description How to test the link: any 2xx is a success. */
      test?: components['schemas']['LinkTestBody'] | null;
      /** @description When the access token ends, a time in ISO 8601; null: not known. */
      token_expiry?: string | null;
      /**
       * @description What it is a link to.
       * @example smtp
       */
      type: string;
      /** @description Of `basic`; never shown again. */
      username?: string;
    };
    CreateLayerBody: {
      /**
       * @description The module: see /modules.
       * @example web-request
       */
      appId: string;
      /**
       * @description The module's arguments; texts may hold expressions. {} when left out.
       * @example {
       *       "url": "https://api.example.com/orders/{{ $prev.args.order }}"
       *     }
       */
      args?: {
        [key: string]: unknown;
      };
      /**
       * @description Runs the layer once for each item.
       * @example {
       *       "in": "{{ .fetch.json.orders }}"
       *     }
       */
      forEach?: components['schemas']['ForEachBody'] | null;
      /** @description Position from 0, the end when left out. A taken one moves that layer and those behind up. */
      index?: number;
      /**
       * @description For people; the ref when left out.
       * @example Fetch the order
       */
      name?: string;
      /**
       * @description What a failure does to the play.
       * @enum {string}
       */
      onError?: 'fail' | 'continue';
      /**
       * @description What happens when a worker died in the middle of this layer.
       * @enum {string}
       */
      onInterrupted?: 'repeat' | 'fail';
      /**
       * @description By this name later layers read the output; unique in the flow.
       * @example fetch
       */
      ref: string;
      /** @description Runs the layer again until a condition is true; its output is that of the last round. */
      repeat?: components['schemas']['RepeatBody'] | null;
      /**
       * @description Further calls after a failure; null: none.
       * @example {
       *       "attempts": 3
       *     }
       */
      retry?: components['schemas']['RetryBody'] | null;
      /** @description Neighbours that name the same stage run at the same time; null: the layer runs alone. */
      stage?: string | null;
      /** @description Time limit of one attempt in milliseconds; null: 30,000. */
      timeoutMs?: number | null;
      /**
       * @description One expression in braces: when it is no (false, null, 0, "", "false"), the layer is FILTERED.
       * @example {{ $prev.args.urgent }}
       */
      when?: string | null;
    };
    CreateMcpServerBody: {
      /**
       * @description Which revisions of the protocol are tried: `2026`, `2025` (and earlier ones), or `auto`: both. Default: auto.
       * @enum {string}
       */
      era?: 'auto' | '2026' | '2025';
      /** @description Integration link whose credential is shown to the server, at the origin of its endpoint alone. */
      integrationId?: string | null;
      /**
       * @description What layers may name it by instead of its id; unique in the company.
       * @example wiki
       */
      key?: string | null;
      /**
       * @description What people call it.
       * @example Wiki
       */
      name: string;
      /**
       * @description Address of its Streamable HTTP endpoint. Left out: the endpoint of the integration.
       * @example https://mcp.example.com/mcp
       */
      url?: string;
    };
    CreatePolicyBody: {
      /**
       * @description How long entries stay: an integer and m, d or y, up to 100y, or 0 for none.
       * @example 30d
       */
      cadence: string;
      /** @description By default true. */
      enabled?: boolean;
      /**
       * @description No entry younger than this goes, whatever other policies say.
       * @example 0
       */
      enforced_minimum?: string;
      /** @description For the plays of the flows of this group; the scope is flows.group. */
      flow_group_id?: string | null;
      /** @description For the plays of this flow only. */
      flow_id?: string | null;
      /** @description The newest entries that stay, however old. */
      min_entries?: number;
      /**
       * @description One of flows.all, flows.filtered, flows.group, plays, play_layers, audit, audit_logs, kv_stores; of a policy for one flow: nothing.
       * @example plays
       */
      scope?: string | null;
    };
    CreateProviderBody: {
      /** @description Id of the company of who belongs to none. */
      auto_assign_company?: string | null;
      /**
       * @description Role in that company; by default none.
       * @enum {string}
       */
      auto_assign_role?:
        | 'admin'
        | 'flow_editor'
        | 'flow_executor'
        | 'viewer'
        | 'audit_viewer'
        | 'integration_manager'
        | 'analytics_viewer'
        | 'none';
      /** @description Whether who comes for the first time becomes a user; by default not. */
      auto_create_users?: boolean;
      /**
       * @description What this installation is called there.
       * @example weft
       */
      client_id: string;
      /** @description Never shown again. */
      client_secret?: string | null;
      /**
       * @description Its issuer, exactly as its tokens have it; https, or http on this machine.
       * @example https://id.example.com
       */
      issuer: string;
      /**
       * @description What the sign-in page calls it.
       * @example Example ID
       */
      name: string;
      /** @description The callback as the provider knows it; by default API_URL followed by /auth/callback. */
      redirect_uri?: string | null;
      /** @description What is asked for; by default openid, profile and email. openid must be among them. */
      scopes?: string[];
    };
    CreateScheduleBody: {
      /** @description Args of each run, up to 16 KB. Default: none. */
      args?: {
        [key: string]: unknown;
      };
      /** @description False: it is paused. Default: true. */
      enabled?: boolean;
      /**
       * @description The flow that runs.
       * @example 06dqx3v8k2m7w0r5t9ya
       */
      flow_id: string;
      /**
       * @description Of the play of each run. At most 10: a key of 1 to 63 letters, digits, `_`, `.` or `-`, and a text of 1 to 255 characters.
       * @example {
       *       "customer": "1042"
       *     }
       */
      labels?: {
        [key: string]: string;
      };
      /**
       * @description Which slots are made up for that no scheduler could fire in time. Default: last.
       * @enum {string}
       */
      missed?: 'none' | 'last' | 'all';
      /**
       * @description Missed slots older than that are let go: an integer and m, d or y, or 0. Default: 1d.
       * @example 12m
       */
      missed_window?: string;
      /**
       * @description What becomes of a slot while an earlier run is open: SKIP, it waits, or it runs beside. Default: skip.
       * @enum {string}
       */
      overlap?: 'skip' | 'queue' | 'allow';
      /**
       * @description Five cron fields: minute, hour, day of month, month, day of week.
       * @example 30 6 * * 1-5
       */
      schedule: string;
      /**
       * @description IANA name of the zone that the fields are read in. Default: UTC.
       * @example Europe/Berlin
       */
      timezone?: string;
    };
    CreateTestCaseBody: {
      /** @description Arguments of the run. {} when left out. */
      args?: {
        [key: string]: unknown;
      };
      /**
       * @description Ref → part of the out that the layer must give: fields left out may be anything, lists have this length.
       * @example {
       *       "tell": {
       *         "text": "It is ok."
       *       }
       *     }
       */
      expected?: {
        [key: string]: unknown;
      };
      /**
       * @description Ref → the out that stands in for the layer's own. A layer that reaches outside needs one.
       * @example {
       *       "fetch": {
       *         "statusCode": 200,
       *         "json": {
       *           "ok": true
       *         }
       *       }
       *     }
       */
      fixtures?: {
        [key: string]: unknown;
      };
      /**
       * @description For people.
       * @example tells that it is ok
       */
      name: string;
      /** @description The flow cannot be enabled while this case fails. */
      required?: boolean;
    };
    CreateTriggerBody: {
      /** @description Default: a run of the flow. */
      action?: components['schemas']['ActionBody'] | null;
      /** @description Args of the run, with expressions over `$hook`. Default: `{ body, headers, query }`. */
      args?: {
        [key: string]: unknown;
      } | null;
      /** @description How a sender checks the address, where its type does not say it. */
      challenge?: components['schemas']['ChallengeBody'] | null;
      /** @description Where the id of a delivery is. Default: where the sender’s type has it. */
      dedupe?: components['schemas']['DedupeBody'] | null;
      /** @description False: deliveries are answered with 404. Default: true. */
      enabled?: boolean;
      /**
       * @description Of its plays. At most 10: a key of 1 to 63 letters, digits, `_`, `.` or `-`, and a text of 1 to 255 characters.
       * @example {
       *       "customer": "1042"
       *     }
       */
      labels?: {
        [key: string]: string;
      };
      /** @description The largest body. Default: 1 MB; a larger one than 1 MB reads as a file. */
      max_bytes?: number;
      /** @description Which methods deliver. Default: POST. HEAD is answered and runs nothing. */
      methods?: ('GET' | 'HEAD' | 'POST' | 'PUT')[];
      /**
       * @description For people.
       * @example orders of the shop
       */
      name: string;
      /** @description The answer to the sender: over `$hook`, and with `wait` over `.out`, `.error` and `.state` of the play. */
      respond?: components['schemas']['RespondBody'] | null;
      /**
       * @description Headers and query parameters, in any case, whose values are replaced by `[secret]`, besides those whose names indicate credentials.
       * @example [
       *       "x-customer-number"
       *     ]
       */
      secret_names?: string[];
      /** @description What a trigger that reads messages reads. */
      source?: components['schemas']['SourceBody'] | null;
      /**
       * @description `hook` (the default) has an address for deliveries; the others read messages. It never changes.
       * @enum {string}
       */
      type?: 'hook' | 'kafka' | 'sqs' | 'poll' | 'rss' | 'imap';
      /**
       * @description How a delivery proves who sent it; a hook needs one. A change replaces it; secrets left out stay.
       * @example {
       *       "type": "bearer",
       *       "token": "a-secret-of-the-sender"
       *     }
       */
      verifier?: components['schemas']['VerifierBody'];
      /** @description Milliseconds for which the answer is held for the outcome. Default: 0. */
      wait?: number;
      /** @description A condition over `$hook`: deliveries for which it is false run nothing. */
      when?: string | null;
    };
    CreateUserBody: {
      /**
       * @description Who it is. The account is of your company alone, also where the address has one in another.
       * @example ada@example.org
       */
      email: string;
      /**
       * @description What to call them.
       * @example Ada
       */
      name?: string | null;
      /** @description 12 characters to 72 bytes; without it the answer has a link by which the user chooses one. */
      password?: string;
      /** @description One role per company; default: `none` in yours. */
      roles?: components['schemas']['PlaceBody'][];
    };
    CreateWebhookBody: {
      /** @description False: it gets nothing. Default: true. */
      enabled?: boolean;
      /**
       * @description The types of events that it gets.
       * @example [
       *       "play.done",
       *       "play.failed"
       *     ]
       */
      events: (
        | 'play.accepted'
        | 'play.waiting'
        | 'play.done'
        | 'play.failed'
        | 'play.skipped'
        | 'play.filtered'
        | 'flow.changed'
        | 'schedule.missed'
        | 'webhook.disabled'
      )[];
      /** @description Events of these flows only; null: of all. */
      flow_ids?: string[] | null;
      /** @description True: events of ends have the output of the last layer, up to 16 KB. */
      include_out?: boolean;
      /** @description Events of plays with all of these labels only; null: of all. */
      labels?: {
        [key: string]: string;
      } | null;
      /** @description At most this many attempts at once. Default: 10. */
      max_in_flight?: number;
      /**
       * @description What people call it.
       * @example Orders to the warehouse
       */
      name: string;
      /** @description Whom a mail tells that it was disabled. */
      notify?: components['schemas']['NotifyBody'] | null;
      /** @description True: one event after the other, in the order of the change feed; one that fails holds up the others. */
      ordered?: boolean;
      /** @description At most this many attempts a second; null: as fast as the receiver answers. */
      rate_per_second?: number | null;
      /** @description Seconds before each attempt; null: 0, 5 s, 5 and 30 min, 2, 5, 10, 14, 20 and 24 h. */
      schedule?: number[] | null;
      /**
       * @description v1: HMAC-SHA256 under a shared secret; v1a: Ed25519, of which the receiver has the public key. Default: v1.
       * @enum {string}
       */
      signing?: 'v1' | 'v1a';
      /**
       * @description Where events are posted to. Values of its query are not shown again.
       * @example https://hooks.example.com/weft
       */
      url: string;
    };
    DecideBody: {
      /**
       * @description Given out by the layer, and kept in the audit log.
       * @example Within the budget.
       */
      comment?: string | null;
      /**
       * @description `reject` fails the layer with `rejected`.
       * @enum {string}
       */
      decision: 'approve' | 'reject';
      /** @description Of an agent: the step that is decided, as the list of open approvals has it. */
      step?: number;
    };
    DecideByLinkBody: {
      /**
       * @description Given out by the layer, and kept in the audit log.
       * @example Within the budget.
       */
      comment?: string | null;
      /**
       * @description `reject` fails the layer with `rejected`.
       * @enum {string}
       */
      decision: 'approve' | 'reject';
      /**
       * @description What stands in the link behind the #.
       * @example v1.MDZkcXgzdjhrMm03
       */
      token: string;
    };
    DedupeBody: {
      /** @description An expression for it. */
      expression?: string;
      /** @description The header with the id of the delivery. */
      header?: string;
    };
    Delivery: {
      bytes: number;
      contentType: string | null;
      /** @description The id that the sender gave it, or its own. */
      dedupeId: string;
      error: {
        code: string;
        message: string;
      } | null;
      /** @description Without credentials. */
      headers: {
        [key: string]: unknown;
      };
      id: string;
      method: string;
      /**
       * @description duplicate: a play of an earlier delivery has the same id; skipped: there was nothing to run.
       * @enum {string}
       */
      outcome: 'accepted' | 'duplicate' | 'skipped' | 'refused';
      playId: string | null;
      query: {
        [key: string]: unknown;
      };
      /** Format: date-time */
      receivedAt: string;
      /** @description Its body is kept. */
      replayable: boolean;
      /** @description The delivery that this one repeats. */
      replayOf: string | null;
      triggerId: string;
    };
    DeliveryPage: {
      items: components['schemas']['Delivery'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
      page: number;
      size: number;
      /** @description Exact up to 10,000. */
      total: number;
      /** @description There are more than `total`. */
      totalCapped: boolean;
    };
    Destination: {
      /** @description The share of the calls that failed, of 1, when it went down. */
      failureShare: number | null;
      /** @description Host and port, such as api.example.com:443. */
      id: string;
      /**
       * Format: date-time
       * @description When the next call tries whether it can be reached again.
       */
      nextProbe: string | null;
      /** @description Plays that wait for it; counted up to 10,000. */
      parked: number;
      rate_limit: components['schemas']['RateLimit'] | null;
      /**
       * Format: date-time
       * @description Of the state.
       */
      since: string;
      /** @enum {string} */
      state: 'up' | 'down' | 'paused' | 'recovering';
    };
    DestinationPage: {
      items: components['schemas']['Destination'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
      page: number;
      size: number;
      /** @description Exact up to 10,000. */
      total: number;
      /** @description There are more than `total`. */
      totalCapped: boolean;
    };
    DraftFields: {
      /** @description All layers in their order: they replace those that the flow has. Options left out are none. */
      layers?: components['schemas']['FlowLayerBody'][];
      /**
       * @description An expression, judged when a run is accepted: false, and the play is SKIP at once. null: always run.
       * @example {{ $prev.args.urgent }}
       */
      when?: string | null;
    };
    DryRun: {
      error: {
        code: string;
        message: string;
        ref: string | null;
      } | null;
      layers: {
        appId: string;
        error: {
          code: string;
          message: string;
        } | null;
        index: number;
        name: string;
        /** @description Any JSON value. */
        out: unknown;
        ref: string;
        /** @description NEW: not reached. */
        state: string;
      }[];
      /** @description Refs of layers; of an agent that is replayed `<ref>.<tool>` or `<ref>.model`, the call that is not recorded. */
      missingFixtures: string[];
      /**
       * @description NOT_TRIED: it did not fail, but the layers of `missingFixtures` were not called.
       * @enum {string}
       */
      state: 'NEW' | 'RUN' | 'DONE' | 'FAIL' | 'SKIP' | 'FILTERED' | 'DEFERRED' | 'WAIT' | 'ON_HOLD' | 'NOT_TRIED';
    };
    DryRunBody: {
      /** @description Arguments of the run. {} when left out. */
      args?: {
        [key: string]: unknown;
      };
      /**
       * @description Ref → the out that stands in for the layer's own. Of an agent maybe `{ replay: [steps] }`. Without one a layer that reaches outside gives its sample, and one that reaches nobody runs for real.
       * @example {
       *       "fetch": {
       *         "statusCode": 200,
       *         "json": {
       *           "ok": true
       *         }
       *       }
       *     }
       */
      fixtures?: {
        [key: string]: unknown;
      };
      /** @description All layers in their order: they replace those that the flow has. Options left out are none. */
      layers?: components['schemas']['FlowLayerBody'][];
      /** @description False: samples do not stand in, as in a test case. true when left out. */
      samples?: boolean;
      /**
       * @description An expression, judged when a run is accepted: false, and the play is SKIP at once. null: always run.
       * @example {{ $prev.args.urgent }}
       */
      when?: string | null;
    };
    EndedRunAnswer: {
      error?: {
        code: string;
        message: string;
        ref: string | null;
      } | null;
      /** @description With `wait`: what the last layer that ran gave; over 256 KB `{ "$ref": path, "bytes": n }`; null for who may not read the play. */
      out?: unknown;
      playId: string;
      state: string;
    };
    EraseCompanyBody: {
      /**
       * @description The name of the company, exactly as it is.
       * @example Heron Works
       */
      confirm: string;
    };
    EventAnswer: {
      /** @description No play has taken it yet: the first one that begins to wait for it does. */
      kept: boolean;
      /** @description How many plays took it. */
      matched: number;
    };
    EventBody: {
      /** @description To whom it happened. Layers with a key take events of that key only, those without one all. */
      key?: string | null;
      /**
       * @description What happened: the `name` that wait-event layers wait for.
       * @example invoice.paid
       */
      name: string;
      /**
       * @description What the waiting layers give as `payload`; up to 512 KB.
       * @example {
       *       "amount": 12.5
       *     }
       */
      payload?: unknown;
      /** @description For how long it is kept for a play that begins to wait for it, up to 7 days. Default: not at all. */
      ttlMs?: number;
    };
    ExternalIdentity: {
      /** @description What the provider says. */
      email: string | null;
      id: string;
      issuer: string;
      /** Format: date-time */
      last_login_at: string;
      /** Format: date-time */
      linked_at: string;
      /** @description The provider that the account was last used at. */
      provider_id: string | null;
    };
    ExternalIdentityPage: {
      items: components['schemas']['ExternalIdentity'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
      page: number;
      size: number;
      /** @description Exact up to 10,000. */
      total: number;
      /** @description There are more than `total`. */
      totalCapped: boolean;
    };
    Face: {
      /** @description JSON Schema of the arguments of the layer, with its own $defs. */
      argsSchema: {
        [key: string]: unknown;
      };
      description: string;
      digest: string;
      /** @description JSON Schemas of the bodies of refused answers, by status. */
      errors: {
        [key: string]: unknown;
      };
      linkKinds: string[];
      /** @description JSON Schema of the output of one call, with its own $defs. */
      outSchema: {
        [key: string]: unknown;
      };
      /** @description How all pages are read: a proposal for the argument `paginate`. `size: { param, value }` in it is not part of that: the query has to say this. */
      paging: {
        [key: string]: unknown;
      } | null;
      servers: string[];
      title: string;
      warnings: string[];
    };
    Flow: {
      /** @description JSON Schema of the args of its runs. */
      argsSchema: {
        [key: string]: unknown;
      } | null;
      blueprintId: string | null;
      category: string;
      company_id: string;
      /** Format: date-time */
      createdAt: string;
      createdBy: string;
      description: string;
      enabled: boolean;
      /** @description Why not. */
      errors: {
        code: string;
        message: string;
        path: string;
      }[];
      /** Format: date-time */
      filteredAt: string | null;
      groupId: string | null;
      id: string;
      isBlueprint: boolean;
      /** @description Your own name for it, which stays. */
      key: string | null;
      /** @description When one flow is read. */
      layers?: components['schemas']['Layer'][];
      name: string;
      /** @description By `GET /flows/{id}`: what the caller may do, by role, as its creator and by grants. */
      permissions?: ('read' | 'execute' | 'edit' | 'delete')[];
      /** @description The version that runs use; null: none is published yet. */
      publishedVersion: number | null;
      restricted: boolean;
      settings: {
        concurrency:
          | (
              | number
              | {
                  key?: string;
                  limit: number;
                }
            )
          | null;
        labels: {
          [key: string]: string;
        };
        /** @description The lane in which a play waits for its turn, with expressions over its args. */
        lane: string | null;
        maxOutputBytes: number | null;
        mcp: {
          argsSchema?: {
            [key: string]: unknown;
          };
          description: string;
          outSchema?: {
            [key: string]: unknown;
          };
          tool: string;
        } | null;
        /** @enum {string} */
        onDestinationDown: 'fail' | 'park';
        /** @description The flow that is run once for each play that fails. */
        onFailure: string | null;
        /** @enum {string} */
        onLaneFail: 'continue' | 'stop';
        /** @enum {string} */
        onMissing: 'fail' | 'null' | 'empty';
        priority: number | null;
        /** @enum {string} */
        publish: 'auto' | 'manual';
        timeoutMs: number | null;
      };
      /** Format: date-time */
      updatedAt: string;
      /** @description Whether it could be enabled, judged when it was saved. */
      valid: boolean | null;
      version: number;
      when: string | null;
    };
    FlowDiff: {
      changes: {
        /** @description Any JSON value. */
        after: unknown;
        /** @description Any JSON value. */
        before: unknown;
        path: string;
      }[];
      from: number;
      to: number;
    };
    /**
     * @description A flow of Weft, as `GET /flows/:id/export` writes it, and `PUT /flows/:id/document` and `POST /flows/import` read it.
     * @example {
     *       "schema": "weft.flow/1",
     *       "name": "Order intake",
     *       "layers": [
     *         {
     *           "ref": "fetch",
     *           "appId": "web-request",
     *           "args": {
     *             "url": "https://api.example.com/orders"
     *           }
     *         }
     *       ]
     *     }
     */
    FlowDocument: {
      /**
       * @description JSON Schema that the args of runs must fit; null: none. Its keywords: docs/flows.md.
       * @example {
       *       "type": "object",
       *       "properties": {
       *         "order": {
       *           "type": "integer"
       *         }
       *       },
       *       "required": [
       *         "order"
       *       ]
       *     }
       */
      argsSchema?: {
        [key: string]: unknown;
      } | null;
      /**
       * @description Values for `{{ $blueprint.<name> }}` of a flow that was made from a blueprint.
       * @default null
       */
      blueprintVars: {
        [key: string]: string;
      } | null;
      /**
       * @description A word to sort flows by.
       * @default
       * @example Orders
       */
      category: string;
      /**
       * @description What the flow is for.
       * @default
       */
      description: string;
      /**
       * @description A blueprint is instantiated, not run.
       * @default false
       */
      isBlueprint: boolean;
      /** @default [] */
      layers: {
        /**
         * @description The module: see /modules.
         * @example web-request
         */
        appId: string;
        /**
         * @description The module's arguments; texts may hold expressions. {} when left out.
         * @default {}
         * @example {
         *       "url": "https://api.example.com/orders/{{ $prev.args.order }}"
         *     }
         */
        args: {
          [key: string]: unknown;
        };
        /**
         * @description Runs the layer once for each item.
         * @default null
         * @example {
         *       "in": "{{ .fetch.json.orders }}"
         *     }
         */
        forEach: {
          /**
           * @description Items that run at the same time; 1 when left out.
           * @default 1
           */
          concurrency: number;
          /**
           * @description One expression in braces that gives a list of at most 10,000 items.
           * @example {{ .fetch.json.orders }}
           */
          in: string;
          /**
           * @description fail (the default): an item that fails ends the loop. collect: the output is a list of { ok, out, error }, one for each item.
           * @enum {string}
           */
          onItemError?: 'fail' | 'collect';
        } | null;
        /** @description The layer of the flow whose place this one takes, when its ref is another now. Not in an import. */
        id?: string;
        /**
         * @description For people; the ref when left out.
         * @example Fetch the order
         */
        name?: string;
        /**
         * @description What a failure does to the play.
         * @default fail
         * @enum {string}
         */
        onError: 'fail' | 'continue';
        /**
         * @description What happens when a worker died in the middle of this layer.
         * @default repeat
         * @enum {string}
         */
        onInterrupted: 'repeat' | 'fail';
        /**
         * @description By this name later layers read the output; unique in the flow.
         * @example fetch
         */
        ref: string;
        /** @description Runs the layer again until a condition is true; its output is that of the last round. */
        repeat?: {
          /**
           * @description Milliseconds between two rounds, 0 when left out. The play gives up its slot for more than 2,000.
           * @default 0
           */
          delayMs: number;
          /**
           * @description Rounds in all, 100 when left out: after them the layer fails with repeat_exhausted.
           * @default 100
           */
          max: number;
          /**
           * @description One expression in braces over $repeat.out, the output of the round, and $repeat.index: when it is true, this was the last round.
           * @example {{ $repeat.out.json.status = "done" }}
           */
          until: string;
        } | null;
        /**
         * @description Further calls after a failure; null: none.
         * @default null
         */
        retry: {
          /** @description Calls in all, the first one included. */
          attempts: number;
          /**
           * @description Whether the pause stays the same, or doubles with each failure. exponential when left out.
           * @default exponential
           * @enum {string}
           */
          backoff: 'fixed' | 'exponential';
          /**
           * @description Milliseconds before the second call, 1,000 when left out; a random part of up to a half is taken off.
           * @default 1000
           */
          delayMs: number;
          /** @description No pause is longer, in milliseconds. 60,000, or delayMs where that is more, when left out. */
          maxDelayMs?: number;
          /**
           * @description After which failures: statuses ("429", "5xx", "500-504") and error codes ("timeout", "connect"). When left out: after all that may pass, which a 4xx other than 408, 409, 421, 423, 425 and 429 does not.
           * @example [
           *       "429",
           *       "5xx",
           *       "timeout",
           *       "connect"
           *     ]
           */
          on?: string[];
        } | null;
        /**
         * @description Neighbours that name the same stage run at the same time; null: the layer runs alone.
         * @default null
         */
        stage: string | null;
        /**
         * @description Time limit of one attempt in milliseconds; null: 30,000.
         * @default null
         */
        timeoutMs: number | null;
        /**
         * @description One expression in braces: when it is no (false, null, 0, "", "false"), the layer is FILTERED.
         * @default null
         */
        when: string | null;
      }[];
      /**
       * @description Need not be unique.
       * @example Order intake
       */
      name: string;
      /** @constant */
      schema: 'weft.flow/1';
      /**
       * @description Limits and habits of the flow.
       * @default {}
       */
      settings: {
        /**
         * @description Plays of this flow that run at once; null: any number. Those over it wait, DEFERRED, in order. With a `key`, a text with expressions over the args, the limit is for each value of it.
         * @default null
         * @example {
         *       "limit": 2,
         *       "key": "{{ $prev.args.customerId }}"
         *     }
         */
        concurrency:
          | (
              | number
              | {
                  key?: string;
                  limit: number;
                }
            )
          | null;
        /** @description Of each play of the flow; they replace those that it has. */
        labels?: {
          [key: string]: string;
        };
        /**
         * @description Plays with the same lane run one after the other, in the order of acceptance, over all flows (docs/lanes.md): a text with expressions over the args; null: none.
         * @example customer-{{ $prev.args.customerId }}
         */
        lane?: string | null;
        /**
         * @description Bytes that one output may have; null: 64 MB. A larger one fails its layer, nothing is cut.
         * @default null
         */
        maxOutputBytes: number | null;
        /** @description Agents see the flow as a tool of its own (docs/mcp.md); null: they do not. */
        mcp?: {
          /** @description JSON Schema of the args, with type object. */
          argsSchema?: {
            [key: string]: unknown;
          };
          /** @description What it does, for the model that chooses. */
          description: string;
          /** @description JSON Schema of the out of the last layer. */
          outSchema?: {
            [key: string]: unknown;
          };
          /**
           * @description Its name; agents see the id of the flow behind it where two flows have the same one.
           * @example look_up_order
           */
          tool: string;
        } | null;
        /**
         * @description What a call to a destination does that is down: `fail`: it is made; `park`: its play waits, DEFERRED.
         * @enum {string}
         */
        onDestinationDown?: 'fail' | 'park';
        /** @description The flow, by its id or key, that is run once for each play that fails (docs/flows.md); null: none. */
        onFailure?: string | null;
        /**
         * @description What a lane does when a play of the flow FAILs during its turn: it goes on, or waits for a retry or a skip.
         * @enum {string}
         */
        onLaneFail?: 'continue' | 'stop';
        /**
         * @description What an expression gives for a field that is not there: `fail` fails the layer.
         * @default fail
         * @enum {string}
         */
        onMissing: 'fail' | 'null' | 'empty';
        /** @description Of its plays, whatever starts them; a run may say another. Plays of the company with a higher one start first. null: that of the play that starts it, else 0. */
        priority?: number | null;
        /**
         * @description When changes apply to runs: at once, or when they are published. Left out: as the flow has it, else at once.
         * @enum {string}
         */
        publish?: 'auto' | 'manual';
        /**
         * @description Time limit of a play in milliseconds, from when it is due; null: none.
         * @default null
         */
        timeoutMs: number | null;
      };
      /** @default [] */
      testCases: {
        /**
         * @description Arguments of the run. {} when left out.
         * @default {}
         */
        args: {
          [key: string]: unknown;
        };
        /**
         * @description Ref → part of the out that the layer must give: fields left out may be anything, lists have this length.
         * @default {}
         * @example {
         *       "tell": {
         *         "text": "It is ok."
         *       }
         *     }
         */
        expected: {
          [key: string]: unknown;
        };
        /**
         * @description Ref → the out that stands in for the layer's own. A layer that reaches outside needs one.
         * @default {}
         * @example {
         *       "fetch": {
         *         "statusCode": 200,
         *         "json": {
         *           "ok": true
         *         }
         *       }
         *     }
         */
        fixtures: {
          [key: string]: unknown;
        };
        /**
         * @description For people.
         * @example tells that it is ok
         */
        name: string;
        /**
         * @description The flow cannot be enabled while this case fails.
         * @default false
         */
        required: boolean;
      }[];
      /**
       * @description An expression, judged when a run is accepted: false, and the play is SKIP at once. null: always run.
       * @default null
       */
      when: string | null;
    };
    FlowFigures: {
      /** @description Those that somebody cancelled; success_rate leaves them out. */
      cancelled: number;
      /** @description Those that ended FAIL by themselves. */
      failed: number;
      flowId: string;
      id: string;
      /**
       * Format: date-time
       * @description When the last of them ended.
       */
      last_play: string | null;
      name: string;
      /** @description Median of the time from start to end, to within a tenth. */
      p50_ms: number | null;
      /** @description The same of which 95 in 100 took no longer. */
      p95_ms: number | null;
      /** @description Plays that ended in the window; those that were turned away are not counted. */
      plays: number;
      /** @description done / (done + failed), 0 to 1; null when none ended otherwise than cancelled. */
      success_rate: number | null;
    };
    FlowFiguresPage: {
      items: components['schemas']['FlowFigures'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
      page: number;
      size: number;
      /** @description Exact up to 10,000. */
      total: number;
      /** @description There are more than `total`. */
      totalCapped: boolean;
    };
    FlowGroup: {
      company_id: string;
      flows: string[];
      id: string;
      name: string;
    };
    FlowGroupPage: {
      items: components['schemas']['FlowGroup'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
      page: number;
      size: number;
      /** @description Exact up to 10,000. */
      total: number;
      /** @description There are more than `total`. */
      totalCapped: boolean;
    };
    FlowLayerBody: {
      /**
       * @description The module: see /modules.
       * @example web-request
       */
      appId: string;
      /**
       * @description The module's arguments; texts may hold expressions. {} when left out.
       * @example {
       *       "url": "https://api.example.com/orders/{{ $prev.args.order }}"
       *     }
       */
      args?: {
        [key: string]: unknown;
      };
      /**
       * @description Runs the layer once for each item.
       * @example {
       *       "in": "{{ .fetch.json.orders }}"
       *     }
       */
      forEach?: components['schemas']['ForEachBody'] | null;
      /** @description The layer of the flow that this is; without it, the one with this ref; else it is a new one. */
      id?: string;
      /**
       * @description For people; the ref when left out.
       * @example Fetch the order
       */
      name?: string;
      /**
       * @description What a failure does to the play.
       * @enum {string}
       */
      onError?: 'fail' | 'continue';
      /**
       * @description What happens when a worker died in the middle of this layer.
       * @enum {string}
       */
      onInterrupted?: 'repeat' | 'fail';
      /**
       * @description By this name later layers read the output; unique in the flow.
       * @example fetch
       */
      ref: string;
      /** @description Runs the layer again until a condition is true; its output is that of the last round. */
      repeat?: components['schemas']['RepeatBody'] | null;
      /**
       * @description Further calls after a failure; null: none.
       * @example {
       *       "attempts": 3
       *     }
       */
      retry?: components['schemas']['RetryBody'] | null;
      /** @description Neighbours that name the same stage run at the same time; null: the layer runs alone. */
      stage?: string | null;
      /** @description Time limit of one attempt in milliseconds; null: 30,000. */
      timeoutMs?: number | null;
      /**
       * @description One expression in braces: when it is no (false, null, 0, "", "false"), the layer is FILTERED.
       * @example {{ $prev.args.urgent }}
       */
      when?: string | null;
    };
    FlowPage: {
      items: components['schemas']['Flow'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
      page: number;
      size: number;
      /** @description Exact up to 10,000. */
      total: number;
      /** @description There are more than `total`. */
      totalCapped: boolean;
    };
    FlowReport: {
      errors: {
        code: string;
        message: string;
        path: string;
      }[];
      valid: boolean;
      warnings: {
        code: string;
        message: string;
        path: string;
      }[];
    };
    FlowSettingsBody: {
      /**
       * @description Plays of this flow that run at once; null: any number. Those over it wait, DEFERRED, in order. With a `key`, a text with expressions over the args, the limit is for each value of it.
       * @example {
       *       "limit": 2,
       *       "key": "{{ $prev.args.customerId }}"
       *     }
       */
      concurrency?:
        | (
            | number
            | {
                key?: string;
                limit: number;
              }
          )
        | null;
      /**
       * @description Of each play of the flow; they replace those that it has. At most 10: a key of 1 to 63 letters, digits, `_`, `.` or `-`, and a text of 1 to 255 characters.
       * @example {
       *       "customer": "1042"
       *     }
       */
      labels?: {
        [key: string]: string;
      };
      /**
       * @description Plays with the same lane run one after the other, in the order of acceptance, over all flows (docs/lanes.md): a text with expressions over the args; null: none.
       * @example customer-{{ $prev.args.customerId }}
       */
      lane?: string | null;
      /** @description Bytes that one output may have; null: 64 MB. A larger one fails its layer, nothing is cut. */
      maxOutputBytes?: number | null;
      /** @description Agents see the flow as a tool of its own (docs/mcp.md); null: they do not. */
      mcp?: components['schemas']['FlowToolBody'] | null;
      /**
       * @description What a call to a destination does that is down: `fail`: it is made; `park`: its play waits, DEFERRED.
       * @enum {string}
       */
      onDestinationDown?: 'fail' | 'park';
      /** @description The flow, by its id or key, that is run once for each play that fails (docs/flows.md); null: none. */
      onFailure?: string | null;
      /**
       * @description What a lane does when a play of the flow FAILs during its turn: it goes on, or waits for a retry or a skip.
       * @enum {string}
       */
      onLaneFail?: 'continue' | 'stop';
      /**
       * @description What an expression gives for a field that is not there: `fail` fails the layer.
       * @enum {string}
       */
      onMissing?: 'fail' | 'null' | 'empty';
      /** @description Of its plays, whatever starts them; a run may say another. Plays of the company with a higher one start first. null: that of the play that starts it, else 0. */
      priority?: number | null;
      /**
       * @description When changes apply to runs: `auto`: at once; `manual`: when they are published, so that they are drafts until then.
       * @enum {string}
       */
      publish?: 'auto' | 'manual';
      /** @description Time limit of a play in milliseconds, from when it is due; null: none. */
      timeoutMs?: number | null;
    };
    FlowToolBody: {
      /** @description JSON Schema of the args, with type object. */
      argsSchema?: {
        [key: string]: unknown;
      };
      /** @description What it does, for the model that chooses. */
      description: string;
      /** @description JSON Schema of the out of the last layer. */
      outSchema?: {
        [key: string]: unknown;
      };
      /**
       * @description Its name; agents see the id of the flow behind it where two flows have the same one.
       * @example look_up_order
       */
      tool: string;
    };
    FlowVersion: {
      /** Format: date-time */
      createdAt: string;
      createdBy: string;
      flow: components['schemas']['Flow'];
      version: number;
    };
    FlowVersionPage: {
      items: components['schemas']['FlowVersion'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
      page: number;
      size: number;
      /** @description Exact up to 10,000. */
      total: number;
      /** @description There are more than `total`. */
      totalCapped: boolean;
    };
    ForEachBody: {
      /** @description Items that run at the same time; 1 when left out. */
      concurrency?: number;
      /**
       * @description One expression in braces that gives a list of at most 10,000 items.
       * @example {{ .fetch.json.orders }}
       */
      in: string;
      /**
       * @description fail (the default): an item that fails ends the loop. collect: the output is a list of { ok, out, error }, one for each item.
       * @enum {string}
       */
      onItemError?: 'fail' | 'collect';
    };
    Grant: {
      CompanyID: string;
      /** Format: date-time */
      CreatedAt: string;
      CreatedBy: string;
      GranteeID: string;
      /** @enum {string} */
      GrantType: 'user' | 'group';
      id: string;
      ID: string;
      Permissions: ('read' | 'execute' | 'edit' | 'delete')[];
      ResourceID: string;
      /** @enum {string} */
      ResourceType: 'flow' | 'flow_group' | 'integration';
    };
    GrantBody: {
      /**
       * @description Whether it is for one user or for all members of a group.
       * @enum {string}
       */
      grant_type: 'user' | 'group';
      /**
       * @description That user or group of your company.
       * @example 06dqx3v8k2m7w0r5t9ya
       */
      grantee_id: string;
      /**
       * @description What the grantee may do, whatever the role.
       * @example [
       *       "read",
       *       "execute"
       *     ]
       */
      permissions: ('read' | 'execute' | 'edit' | 'delete')[];
      /**
       * @description The flow, flow group or integration link.
       * @example 06dqx3v8k2m7w0r5t9ya
       */
      resource_id: string;
      /**
       * @description A grant on a flow group reaches its flows.
       * @enum {string}
       */
      resource_type: 'flow' | 'flow_group' | 'integration';
    };
    GrantPage: {
      items: components['schemas']['Grant'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
      page: number;
      size: number;
      /** @description Exact up to 10,000. */
      total: number;
      /** @description There are more than `total`. */
      totalCapped: boolean;
    };
    Group: {
      company_id: string;
      id: string;
      members: string[];
      name: string;
    };
    GroupPage: {
      items: components['schemas']['Group'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
      page: number;
      size: number;
      /** @description Exact up to 10,000. */
      total: number;
      /** @description There are more than `total`. */
      totalCapped: boolean;
    };
    HealthReport: {
      checks: {
        components: {
          /** @enum {string} */
          ai: 'ready' | 'unavailable';
          /** @enum {string} */
          status: 'ok' | 'unavailable';
          /** @enum {string} */
          storage: 'ready' | 'unavailable';
        };
        config: {
          /** Format: date-time */
          loaded_at: string;
          /** @enum {string} */
          status: 'ok';
        };
        database: {
          /** @description For callers on the same machine, and those with METRICS_TOKEN. */
          error?: string;
          latency_ms?: number;
          /** @enum {string} */
          status: 'healthy' | 'unhealthy';
        };
        queue: {
          /** @description For callers on the same machine, and those with METRICS_TOKEN. */
          error?: string;
          latency_ms?: number;
          /** @enum {string} */
          status: 'healthy' | 'unhealthy';
        };
      };
      /**
       * @description Unhealthy: this process cannot do its work.
       * @enum {string}
       */
      status: 'healthy' | 'unhealthy';
      /** Format: date-time */
      timestamp: string;
      version: string;
    };
    ImportCompanyBody: {
      /**
       * @description The file of an export, uploaded by POST /payloads: the `$ref` of its answer.
       * @example /api/v1/payloads/0123456789abcdef01234567
       */
      file: string;
      /**
       * @description What the company is called here.
       * @example Heron Works
       */
      name: string;
    };
    ImportFlowBody: {
      /**
       * @description What `GET /flows/:id/export` gave, or one written by hand to its schema.
       * @example {
       *       "schema": "weft.flow/1",
       *       "name": "Order intake",
       *       "layers": [
       *         {
       *           "ref": "fetch",
       *           "appId": "web-request",
       *           "args": {
       *             "url": "https://api.example.com/orders"
       *           }
       *         }
       *       ]
       *     }
       */
      document: {
        [key: string]: unknown;
      };
      /** @description Nothing is stored: 200 with the flow as it would be, or the refusal. Default: false. */
      dryRun?: boolean;
      /** @description The document's when left out. */
      name?: string;
    };
    InstantiateBody: {
      /**
       * @description A text for each variable that `{{ $blueprint.<name> }}` reads. Texts are data: `{{ }}` in them means nothing.
       * @example {
       *       "host": "api.example.com"
       *     }
       */
      blueprintVars?: {
        [key: string]: string;
      };
      /** @description The blueprint's when left out. */
      category?: string;
      /**
       * @description Of the new flow.
       * @example Order intake
       */
      name: string;
    };
    Integration: {
      CompanyID: string;
      /** Format: date-time */
      CreatedAt: string;
      Endpoint: string | null;
      id: string;
      ID: string;
      IntegrationType: string;
      /** @description The users' own name for it, unique in the company. */
      Key: string | null;
      /** @enum {string} */
      Kind:
        | 'bearer'
        | 'header'
        | 'basic'
        | 'query'
        | 'hmac'
        | 'headers'
        | 'aws_sigv4'
        | 'oauth2_client_credentials'
        | 'oauth2';
      Name: string;
      ProviderUserEmail: string | null;
      ProviderUserID: string | null;
      RateLimit: components['schemas']['RateLimit'] | null;
      Scopes: string[];
      Settings: components['schemas']['IntegrationSettings'];
      Test: {
        /** @enum {string} */
        method: 'GET' | 'HEAD' | 'POST' | 'OPTIONS';
        path: string;
      } | null;
      /** Format: date-time */
      TokenExpiry: string | null;
      /** Format: date-time */
      UpdatedAt: string;
      UserID: string;
      /** @description In the answer to a request that stores secrets, where something is doubtful about them. */
      Warnings?: {
        code: string;
        message: string;
        path: string;
      }[];
    };
    IntegrationConnect: {
      /** @description Where to send the browser that asked. */
      authorize_url: string;
    };
    IntegrationPage: {
      items: components['schemas']['Integration'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
      page: number;
      size: number;
      /** @description Exact up to 10,000. */
      total: number;
      /** @description There are more than `total`. */
      totalCapped: boolean;
    };
    IntegrationSettings: {
      /** @enum {string} */
      algorithm?: 'sha1' | 'sha256' | 'sha512';
      audience?: string;
      authorize_url?: string;
      ca?: string;
      /** @enum {string} */
      client_auth?: 'basic' | 'post';
      client_id?: string;
      /** @enum {string} */
      encoding?: 'hex' | 'base64' | 'base64url';
      header?: string;
      /** @description Texts by header; `{{name}}` stands for a secret. */
      headers?: {
        [key: string]: string;
      };
      issuer?: string;
      issuer_promised?: boolean;
      parameter?: string;
      path_style?: boolean;
      pool?: number;
      prefix?: string;
      read_only?: boolean;
      region?: string;
      resource?: string;
      role_arn?: string;
      /** @enum {string} */
      sasl?: 'plain' | 'scram-sha-256' | 'scram-sha-512' | 'none';
      schema?: string;
      service?: string;
      /** @enum {string} */
      sign_payload?: 'signed' | 'unsigned';
      template?: string;
      timestamp_header?: string;
      /** @enum {string} */
      tls?: 'verify' | 'require' | 'off';
      token_url?: string;
    };
    IntegrationTest: {
      detail: string;
      ok: boolean;
    };
    Job: {
      /** @description Of the last run that ended. */
      duration_ms: number | null;
      /** @description By the last run that ended. */
      entries_deleted: number;
      id: string;
      /**
       * Format: date-time
       * @description When its last run began.
       */
      last_run: string | null;
      /** @description Of retention, while it runs: what it still has to delete, as far as it has looked. */
      left: {
        /** @description About as much they take in the database, without large outputs. */
        bytes: number;
        /** @description For how long the oldest of them could have been deleted. */
        overdue_ms: number;
        /** @description Plays that are due, at most; counted up to a million for each rule of each company. */
        plays: number;
      } | null;
      /** @enum {string} */
      name: 'retention' | 'audit-cache' | 'cache-eviction' | 'scheduler';
      /**
       * Format: date-time
       * @description Null until a scheduler knows the job.
       */
      next_run: string | null;
      /** @enum {string} */
      status: 'never' | 'running' | 'ok' | 'failed';
    };
    Jobs: {
      jobs: components['schemas']['Job'][];
    };
    KvEntry: {
      /** Format: date-time */
      expires_at: string | null;
      id: string;
      key: string;
      /** @description Any JSON value. */
      value: unknown;
      version: number;
    };
    KvEntryPage: {
      items: components['schemas']['KvEntry'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
      page: number;
      size: number;
      /** @description Exact up to 10,000. */
      total: number;
      /** @description There are more than `total`. */
      totalCapped: boolean;
    };
    Lane: {
      /** @description The play that has the turn; while none has it, the one that gets it next. */
      head: {
        /** Format: date-time */
        completedAt: string | null;
        /** Format: date-time */
        createdAt: string;
        error: {
          code: string;
          message: string;
          ref: string | null;
        } | null;
        /** @description null: of a flow that you may not read. */
        flowId: string | null;
        /** @description null: of a flow that you may not read. */
        playId: string | null;
        /** @enum {string} */
        state: 'NEW' | 'RUN' | 'DONE' | 'FAIL' | 'SKIP' | 'FILTERED' | 'DEFERRED' | 'WAIT' | 'ON_HOLD';
      } | null;
      lane: string;
      /** @description The first 50 of them, in the order in which they get the turn. */
      next: {
        /** Format: date-time */
        createdAt: string;
        /** @description null: of a flow that you may not read. */
        flowId: string | null;
        /** @description null: of a flow that you may not read. */
        playId: string | null;
      }[];
      /**
       * @description running: a play has the turn, or gets it next. stopped: it has failed, and the lane waits until somebody retries or skips it. idle: no play has the turn or waits for it.
       * @enum {string}
       */
      state: 'idle' | 'running' | 'stopped';
      /** @description Plays that wait for their turn, counted up to 10,000. */
      waiting: number | null;
    };
    Layer: {
      appId: string;
      args: {
        [key: string]: unknown;
      };
      flowId: string;
      forEach: {
        concurrency: number;
        in: string;
        /** @enum {string} */
        onItemError?: 'fail' | 'collect';
      } | null;
      id: string;
      index: number;
      name: string;
      /** @enum {string} */
      onError: 'fail' | 'continue';
      /** @enum {string} */
      onInterrupted: 'repeat' | 'fail';
      ref: string;
      repeat: {
        delayMs: number;
        max: number;
        until: string;
      } | null;
      retry: {
        attempts: number;
        /** @enum {string} */
        backoff: 'fixed' | 'exponential';
        delayMs: number;
        maxDelayMs: number;
        on?: string[];
      } | null;
      stage: string | null;
      timeoutMs: number | null;
      warnings: {
        code: string;
        message: string;
        path: string;
      }[];
      when: string | null;
    };
    LayerInput: {
      /** @description What the layer was given, as far as it can still be computed; `[secret]` stands for each secret. Null: nothing is known. */
      args: unknown;
      /** @description Of a web request that is known whole: the request as a command; `[secret]` stands for each secret. */
      curl: string | null;
      /** @description The texts with expressions, as the version has them, by the place of their value: JSON pointers into `args`. */
      expressions: {
        [key: string]: string;
      };
      /** @description Of a loop, which item, page or round it is, from 0; else null. */
      item: number | null;
      /** @description Of an item: its first field that tells one from another, as `order 104`; null where there is none. */
      label: string | null;
      /** @description Of a loop over a list, how many items it has, if that is known; else null. */
      of: number | null;
      /** @description What cannot be computed any more, or could not be then. */
      unresolved: {
        /** @description JSON pointer into `args`, which has null there; empty: all of them. */
        path: string;
        reason: string;
      }[];
    };
    LayerOrderBody: {
      /**
       * @description The ids of all layers, in the new order.
       * @example [
       *       "06dqx3v8k2m7w0r5t9ya",
       *       "06dqx3v8k2m7w0r5t9yb"
       *     ]
       */
      layerIds: string[];
    };
    LayerTry: {
      /** @description What the layer was given; `[secret]` stands for each secret. */
      args: unknown;
      /** @description Of the call; 0: it was not made. */
      durationMs: number;
      error: {
        code: string;
        message: string;
        statusCode: number | null;
      } | null;
      /** @description `out` is the first part of the output, which has more than 256 KB. */
      isCut: boolean;
      /** @description What the call told of its progress, and code its console. */
      logs: string[];
      /** @description What later layers would read: of a loop the list with this one item, of pages this one page. With an error what the failure kept. */
      out: unknown;
      /** @description Of the whole output as JSON. */
      outBytes: number;
      /** @description Of a web request, without the credentials of a link. */
      request: {
        method: string;
        url: string;
      } | null;
      /** @description JSON pointers into `args` of what could not be computed, and why. */
      unresolved: {
        path: string;
        reason: string;
      }[];
    };
    LayerTryBody: {
      /** @description Arguments of the run. {} when left out. */
      args?: {
        [key: string]: unknown;
      };
      /** @description Makes a call that may change something: any but GET, HEAD and other reads. */
      confirm?: boolean;
      /** @description Of a layer with `forEach`: which item of its list, from 0; 0 when left out. */
      item?: number;
      /** @description The layer as it is to be called, saved or not; with `ref` alone the one that the flow has. */
      layer: components['schemas']['TriedLayerBody'];
      /** @description All layers of a draft, in their order: those before the layer are computed as they are there. */
      layers?: components['schemas']['FlowLayerBody'][];
      /** @description Ref → the out of an earlier layer. Those left out are the samples of the flow; layers that reach nobody are computed. */
      outs?: {
        [key: string]: unknown;
      };
    };
    LinkSettingsBody: {
      /**
       * @description Of `hmac`; default: sha256.
       * @enum {string}
       */
      algorithm?: 'sha1' | 'sha256' | 'sha512';
      /** @description Sent with requests for tokens, where the server asks for it. */
      audience?: string;
      /** @description Of `oauth2`: where somebody consents. */
      authorize_url?: string;
      /** @description Of a database, and of Kafka: the certificate (PEM) of the authority that signed the one of the server. */
      ca?: string;
      /**
       * @description How the client shows its secret; default: basic.
       * @enum {string}
       */
      client_auth?: 'basic' | 'post';
      /** @description Of the client at the authorization server. */
      client_id?: string;
      /**
       * @description Of the signature of `hmac`; default: hex.
       * @enum {string}
       */
      encoding?: 'hex' | 'base64' | 'base64url';
      /** @description Of `header`: its name. Of `hmac`: the header with the signature. */
      header?: string;
      /** @description Of `headers`: the texts of up to 20 headers, in which `{{name}}` is the secret of this name: `{ "X-Api-Key": "{{api_key}}" }`. */
      headers?: {
        [key: string]: string;
      };
      /** @description Of `oauth2`: the issuer that the answer of the authorization server must name, if it names one (RFC 9207). */
      issuer?: string;
      /** @description Of `oauth2`: the authorization server has promised to name `issuer` in each of its answers (RFC 9207): one that names none is refused, too; default: false. */
      issuer_promised?: boolean;
      /** @description Of `query`: the name in the address. */
      parameter?: string;
      /** @description Of `aws_sigv4`: the bucket is in the path of an address, not in its host; default: true where the link has an endpoint. */
      path_style?: boolean;
      /** @description Of a database: connections at once of each worker; default: 3. */
      pool?: number;
      /** @description Before the secret or the signature; with `{timestamp}` for `hmac`. */
      prefix?: string;
      /** @description Of a database: whether layers can only read; default: false. */
      read_only?: boolean;
      /** @description Of `aws_sigv4`: the region that is signed for, such as eu-central-1 or auto. */
      region?: string;
      /** @description Sent with requests for tokens (RFC 8707): the address that they are for, such as that of an MCP server. */
      resource?: string;
      /** @description Of `aws_sigv4`: a role whose keys are used; those of the link fetch them. Its trust policy demands the external id `weft-<company id>`. */
      role_arn?: string;
      /**
       * @description Of Kafka: how user and password are shown; default: plain. `none`: they are not.
       * @enum {string}
       */
      sasl?: 'plain' | 'scram-sha-256' | 'scram-sha-512' | 'none';
      /** @description Of a database: where names without a schema are looked up. */
      schema?: string;
      /** @description Of `aws_sigv4`: the service that is signed for, such as s3, sqs or execute-api. */
      service?: string;
      /**
       * @description Of `aws_sigv4`: whether the signature covers the body; default: signed. `unsigned` holds for s3 over https alone.
       * @enum {string}
       */
      sign_payload?: 'signed' | 'unsigned';
      /** @description Of `hmac`: what is signed, with `{body}`, `{timestamp}`, `{method}`, `{path}`, `{host}`, `{id}`; default: `{body}`. */
      template?: string;
      /** @description Of `hmac`: a header that is sent with the Unix seconds. */
      timestamp_header?: string;
      /**
       * @description Of a database, and of Kafka: verify checks the certificate and its name (the default), require encrypts, off is for addresses that the operator opened.
       * @enum {string}
       */
      tls?: 'verify' | 'require' | 'off';
      /** @description Of `oauth2` and `oauth2_client_credentials`: where tokens are. */
      token_url?: string;
    };
    LinkTestBody: {
      /**
       * @description Of a request that changes nothing.
       * @enum {string}
       */
      method: 'GET' | 'HEAD' | 'POST' | 'OPTIONS';
      /**
       * @description After the endpoint.
       * @example /me
       */
      path: string;
    };
    LoginBody: {
      /** @description Another name of `username`: give one of the two. */
      email?: string;
      /**
       * @description At most 72 bytes.
       * @example correct horse battery
       */
      password: string;
      /**
       * @description E-mail of the user.
       * @example ada@example.org
       */
      username?: string;
    };
    LoopItem: {
      /** @description Calls that were made for it, of the one that failed the loop; else null. */
      attempts: number | null;
      error: {
        code: string;
        message: string;
        statusCode: number | null;
      } | null;
      index: number;
      ok: boolean | null;
      /** @description Any JSON value. */
      out: unknown;
      playId: string | null;
      state: string | null;
    };
    LoopItemPage: {
      items: components['schemas']['LoopItem'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
      page: number;
      size: number;
      /** @description Exact up to 10,000. */
      total: number;
      /** @description There are more than `total`. */
      totalCapped: boolean;
    };
    MadeTrigger: {
      action: {
        key?: string | null;
        name: string;
        ttlMs?: number;
        /** @enum {string} */
        type: 'event';
      } | null;
      args: {
        [key: string]: unknown;
      } | null;
      challenge: {
        /** @enum {string} */
        as: 'text' | 'json';
        field: string;
        /** @enum {string} */
        in: 'query' | 'body';
        when?: string | null;
      } | null;
      /** Format: date-time */
      createdAt: string;
      /** @description The user who made its address: its runs have the rights of this user. */
      createdBy: string;
      dedupe: {
        expression: string | null;
        header: string | null;
      } | null;
      enabled: boolean;
      flowId: string;
      id: string;
      labels: {
        [key: string]: string;
      };
      /**
       * Format: date-time
       * @description It listens: the next call until then becomes its sample.
       */
      listeningUntil: string | null;
      max_bytes: number;
      methods: string[];
      name: string;
      /** @description How far the source is read, some seconds old; null: nobody has begun to read, or it has an address. */
      reading: {
        error: {
          code: string;
          message: string;
        } | null;
        /** @description Messages that are there and not read; null: the source does not say it. */
        lag: number | null;
        /** Format: date-time */
        lastMessageAt: string | null;
        /**
         * @description paused: the company has too many plays, or the flow cannot run; failing: the source gives nothing, and is asked again; stopped: by a message of which no run can be made.
         * @enum {string}
         */
        state: 'starting' | 'reading' | 'paused' | 'failing' | 'stopped';
      } | null;
      respond: {
        body?:
          | (
              | string
              | {
                  [key: string]: unknown;
                }
            )
          | null;
        content_type?: string;
        headers?: {
          [key: string]: unknown;
        };
        status?: (number | string) | null;
      } | null;
      /** @description Why deliveries are answered with 404 although it is enabled. */
      resting: string | null;
      sample: {
        /** @description As expressions read it; null, too, when the call was too large to be kept. */
        body: unknown;
        bytes: number;
        headers: {
          [key: string]: unknown;
        };
        isComplete: boolean;
        method: string;
        query: {
          [key: string]: unknown;
        };
        /** Format: date-time */
        receivedAt: string;
        /** @description False: it could not be proven who sent it, and nothing was run. */
        verified: boolean;
      } | null;
      secret_names: string[];
      source: {
        cursor?: string;
        everySeconds?: number;
        folder?: string;
        id?: string;
        integrationId?: string;
        items?: string;
        /** @enum {string} */
        onPoison?: 'skip' | 'stop';
        queueUrl?: string;
        request?: {
          /** @enum {string} */
          appId: 'web-request' | 'operation' | 's3';
          args: {
            [key: string]: unknown;
          };
        };
        start?: string;
        topic?: string;
        url?: string;
        user?: string;
      } | null;
      /** @enum {string} */
      type: 'hook' | 'kafka' | 'sqs' | 'poll' | 'rss' | 'imap';
      /** Format: date-time */
      updatedAt: string;
      /** @description Where deliveries are sent. It is shown this once: it is a secret. Null: the trigger reads by itself. */
      url: string | null;
      verifier: {
        algorithm: string | null;
        encoding: string | null;
        header: string | null;
        id_header: string | null;
        prefix: string | null;
        /** @description How many secrets are stored; they are never shown. */
        secret_count: number;
        separator: string | null;
        template: string | null;
        timestamp_header: string | null;
        timestamp_prefix: string | null;
        tolerance_seconds: number | null;
        type: string;
        username: string | null;
      };
      wait: number;
      when: string | null;
    };
    McpLimitsBody: {
      /** @description It decides approvals, but not of plays that it may have started; by default it decides none. */
      decide_approvals?: boolean;
      /** @description Only disabled flows are written, and none is enabled. */
      drafts_only?: boolean;
      /** @description Only these flows, and no new ones. */
      flow_ids?: string[];
      /** @description Plays that the key starts in a minute, at most. */
      plays_per_minute?: number;
    };
    McpServer: {
      /** Format: date-time */
      createdAt: string;
      createdBy: string;
      description: string | null;
      /** @enum {string} */
      era: 'auto' | '2026' | '2025';
      /** @description Why the last refresh failed, and what to do. */
      fault: string | null;
      id: string;
      /**
       * Format: date-time
       * @description When its tools were read.
       */
      importedAt: string | null;
      integrationId: string | null;
      key: string | null;
      name: string;
      /** @description The revision of the protocol that its tools were read with. */
      protocol: string | null;
      /**
       * @description Of the last refresh. The tools of the one before can be used meanwhile, and after a failure.
       * @enum {string}
       */
      state: 'importing' | 'ready' | 'failed';
      /** @description Of the server, as the next ones; null until its tools were read. */
      title: string | null;
      /** Format: date-time */
      updatedAt: string;
      url: string;
      version: string | null;
    };
    McpServerAuthorization: {
      integrationId: string;
    };
    McpServerPage: {
      items: components['schemas']['McpServer'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
      page: number;
      size: number;
      /** @description Exact up to 10,000. */
      total: number;
      /** @description There are more than `total`. */
      totalCapped: boolean;
    };
    McpServerWithReport: {
      /** Format: date-time */
      createdAt: string;
      createdBy: string;
      description: string | null;
      /** @enum {string} */
      era: 'auto' | '2026' | '2025';
      /** @description Why the last refresh failed, and what to do. */
      fault: string | null;
      id: string;
      /**
       * Format: date-time
       * @description When its tools were read.
       */
      importedAt: string | null;
      integrationId: string | null;
      key: string | null;
      name: string;
      /** @description The revision of the protocol that its tools were read with. */
      protocol: string | null;
      report: {
        operations: number;
        /** @description Operations that were left out; the first 200. */
        skipped: {
          path: string;
          reason: string;
        }[];
        skippedCount: number;
        /** @description What was taken otherwise than the document says; the first 200. */
        warnings: {
          path: string;
          reason: string;
        }[];
        warningsCount: number;
      } | null;
      /**
       * @description Of the last refresh. The tools of the one before can be used meanwhile, and after a failure.
       * @enum {string}
       */
      state: 'importing' | 'ready' | 'failed';
      /** @description Of the server, as the next ones; null until its tools were read. */
      title: string | null;
      /** Format: date-time */
      updatedAt: string;
      url: string;
      version: string | null;
    };
    McpTool: {
      /** @description JSON Schema of its arguments. */
      argsSchema: {
        [key: string]: unknown;
      };
      /** @description The server had it as it is here at the last refresh. */
      current: boolean;
      description: string;
      /** @description Of its name, its description and its schemas, as the server has them. */
      digest: string;
      /** @description What layers name it by. */
      name: string;
      /** @description JSON Schema of `{ content, structured, isError }`. */
      outSchema: {
        [key: string]: unknown;
      };
      /** @description What the server says of it: `read-only`, `destructive`, `idempotent`, `open-world`. Nothing depends on them. */
      tags: string[];
      title: string;
    };
    McpToolHead: {
      description: string;
      /** @description Of its name, its description and its schemas, as the server has them. */
      digest: string;
      /** @description What layers name it by. */
      name: string;
      /** @description What the server says of it: `read-only`, `destructive`, `idempotent`, `open-world`. Nothing depends on them. */
      tags: string[];
      title: string;
    };
    McpToolPage: {
      items: components['schemas']['McpToolHead'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
      page: number;
      size: number;
      /** @description Exact up to 10,000. */
      total: number;
      /** @description There are more than `total`. */
      totalCapped: boolean;
    };
    Me: {
      /** @enum {string} */
      auth: 'session' | 'api_key';
      companies: {
        company_id: string;
        name: string;
        /** @enum {string} */
        role:
          | 'admin'
          | 'flow_editor'
          | 'flow_executor'
          | 'viewer'
          | 'audit_viewer'
          | 'integration_manager'
          | 'analytics_viewer'
          | 'none';
      }[];
      company_id: string;
      /** Format: date-time */
      expires_at: string;
      operator: boolean;
      roles: (
        | 'admin'
        | 'flow_editor'
        | 'flow_executor'
        | 'viewer'
        | 'audit_viewer'
        | 'integration_manager'
        | 'analytics_viewer'
        | 'none'
      )[];
      scopes: (
        'api' | 'api:read' | 'read' | 'api:flows' | 'api:plays' | 'mcp' | 'flow:execute' | 'webhooks' | 'admin'
      )[];
      user: components['schemas']['User'];
    };
    Module: {
      appId: string;
      /** @description JSON Schema of the arguments after their expressions were evaluated. */
      argsSchema: {
        [key: string]: unknown;
      };
      description: string;
      examples: {
        args: {
          [key: string]: unknown;
        };
        title: string;
      }[];
      icon: string;
      /** @description JSON Schema of the output. */
      outSchema: {
        [key: string]: unknown;
      };
      title: string;
    };
    ModuleList: {
      items: components['schemas']['Module'][];
    };
    NewApiKey: {
      company_id: string;
      /** Format: date-time */
      created_at: string;
      /** Format: date-time */
      expires_at: string;
      id: string;
      mcp: {
        decide_approvals?: boolean;
        drafts_only?: boolean;
        flow_ids?: string[];
        plays_per_minute?: number;
      } | null;
      name: string;
      scope: string;
      /** @description Shown this once. */
      token: string;
      user_id: string;
    };
    NewUser: {
      company_roles: {
        company_id: string;
        /** @enum {string} */
        role:
          | 'admin'
          | 'flow_editor'
          | 'flow_executor'
          | 'viewer'
          | 'audit_viewer'
          | 'integration_manager'
          | 'analytics_viewer'
          | 'none';
      }[];
      /** Format: date-time */
      created_at: string;
      email: string;
      id: string;
      /** @description Shown this once, when no password was given. */
      invite_url?: string;
      /** Format: date-time */
      last_activity: string | null;
      name: string | null;
      operator: boolean;
      /** @enum {string} */
      state: 'active' | 'invited' | 'deactivated';
    };
    NewWebhook: {
      company_id: string;
      /** Format: date-time */
      created_at: string;
      created_by: string;
      /** @description Why Weft disabled it. */
      disabled_reason: string | null;
      enabled: boolean;
      events: (
        | 'play.accepted'
        | 'play.waiting'
        | 'play.done'
        | 'play.failed'
        | 'play.skipped'
        | 'play.filtered'
        | 'flow.changed'
        | 'schedule.missed'
        | 'webhook.disabled'
      )[];
      /**
       * Format: date-time
       * @description Since when every attempt has failed.
       */
      failing_since: string | null;
      flow_ids: string[] | null;
      id: string;
      include_out: boolean;
      labels: {
        [key: string]: unknown;
      } | null;
      max_in_flight: number;
      name: string;
      notify: {
        integrationId: string;
        to: string;
      } | null;
      ordered: boolean;
      /** @description With v1a: what signatures are verified with. */
      public_key?: string;
      rate_per_second: number | null;
      schedule: number[] | null;
      /** @description With v1: what signatures are verified with. Shown this once. */
      secret?: string;
      /** @enum {string} */
      signing: 'v1' | 'v1a';
      /** Format: date-time */
      updated_at: string;
      /** @description Values of its query as `[redacted]`. */
      url: string;
    };
    NotifyBody: {
      /**
       * @description Id of an integration link to a mail server.
       * @example 06dqx3v8k2m7w0r5t9ya
       */
      integrationId: string;
      /**
       * @description Who gets a mail when Weft disables the webhook.
       * @example on-call@example.com
       */
      to: string;
    };
    OAuthClientDocument: {
      client_id: string;
      client_name: string;
      client_uri: string;
      grant_types: string[];
      redirect_uris: string[];
      response_types: string[];
      token_endpoint_auth_method: string;
    };
    OAuthProvider: {
      auto_assign_company: string | null;
      /** @enum {string} */
      auto_assign_role:
        | 'admin'
        | 'flow_editor'
        | 'flow_executor'
        | 'viewer'
        | 'audit_viewer'
        | 'integration_manager'
        | 'analytics_viewer'
        | 'none';
      auto_create_users: boolean;
      built_in: boolean;
      client_id: string;
      /** Format: date-time */
      created_at: string | null;
      has_client_secret: boolean;
      id: string;
      issuer: string;
      name: string;
      redirect_uri: string | null;
      scopes: string[];
      /** Format: date-time */
      updated_at: string | null;
    };
    OAuthProviderPage: {
      items: components['schemas']['OAuthProvider'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
      page: number;
      size: number;
      /** @description Exact up to 10,000. */
      total: number;
      /** @description There are more than `total`. */
      totalCapped: boolean;
    };
    OneFlowFigures: {
      /** @description Those that somebody cancelled; success_rate leaves them out. */
      cancelled: number;
      /** @description Those that ended FAIL by themselves. */
      failed: number;
      flowId: string;
      id: string;
      /**
       * Format: date-time
       * @description When the last of them ended.
       */
      last_play: string | null;
      /** @description Layers that ended in the last 24 hours, whatever the window is. Versions are not told apart. */
      layers: {
        /** @description How often the layer ended DONE. */
        done: number;
        /** @description How often it ended FAIL, also where the play went on. */
        failed: number;
        /** @description Median of the time from start to end, to within a tenth. */
        p50_ms: number | null;
        /** @description The same of which 95 in 100 took no longer. */
        p95_ms: number | null;
        ref: string;
        /** @description How often it did not run: SKIP or FILTERED. */
        skipped: number;
        /** @description Time of all that ended DONE or FAIL together, waits included. */
        total_ms: number;
      }[];
      name: string;
      /** @description Median of the time from start to end, to within a tenth. */
      p50_ms: number | null;
      /** @description The same of which 95 in 100 took no longer. */
      p95_ms: number | null;
      /** @description Plays that ended in the window; those that were turned away are not counted. */
      plays: number;
      series: {
        /**
         * Format: date-time
         * @description Beginning of the minute or hour.
         */
        at: string;
        /** @description Plays that somebody cancelled. */
        cancelled: number;
        /** @description Plays that ended DONE or FILTERED. */
        done: number;
        /** @description Plays that ended FAIL by themselves. */
        failed: number;
        /** @description Median of the time from start to end, to within a tenth. */
        p50_ms: number | null;
        /** @description The same of which 95 in 100 took no longer. */
        p95_ms: number | null;
        /** @description Plays that a worker began. */
        started: number;
      }[];
      /** @description done / (done + failed), 0 to 1; null when none ended otherwise than cancelled. */
      success_rate: number | null;
    };
    OpenApproval: {
      approvers: string[];
      flowId: string;
      flowName: string;
      /** @enum {string} */
      link: 'signed_in' | 'holder';
      mayDecide: boolean;
      message: string;
      /** @enum {string} */
      onTimeout: 'fail' | 'approve' | 'reject';
      playId: string;
      ref: string;
      /** Format: date-time */
      since: string;
      /** @description Of an agent: the step that waits, which a decision names. */
      step: number | null;
      /** Format: date-time */
      until: string | null;
    };
    OpenApprovalPage: {
      items: components['schemas']['OpenApproval'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
      page: number;
      size: number;
      /** @description Exact up to 10,000. */
      total: number;
      /** @description There are more than `total`. */
      totalCapped: boolean;
    };
    OpenApprovals: {
      items: {
        approvers: string[];
        /** @description For who may decide it; of a link `holder` it decides as the caller. */
        approveUrl: string | null;
        /** @enum {string} */
        link: 'signed_in' | 'holder';
        mayDecide: boolean;
        message: string;
        /** @enum {string} */
        onTimeout: 'fail' | 'approve' | 'reject';
        ref: string;
        /** Format: date-time */
        since: string;
        /** @description Of an agent: the step that waits, which a decision names. */
        step: number | null;
        /** Format: date-time */
        until: string | null;
      }[];
    };
    Overview: {
      /** @description Plays that could run and do not yet; null as above. */
      backlog: number | null;
      /** @description How long the one that waits longest does; null when none waits. */
      oldest_ms: number | null;
      /** @description Median of the time from start to end, to within a tenth. */
      p50_ms: number | null;
      /** @description The same of which 95 in 100 took no longer. */
      p95_ms: number | null;
      /** @description Plays with a worker now; null while the queue does not answer. */
      running: number | null;
      series: {
        /**
         * Format: date-time
         * @description Beginning of the minute or hour.
         */
        at: string;
        /** @description Plays that somebody cancelled. */
        cancelled: number;
        /** @description Plays that ended DONE or FILTERED. */
        done: number;
        /** @description Plays that ended FAIL by themselves. */
        failed: number;
        /** @description Plays that a worker began. */
        started: number;
      }[];
      /** @description done / (done + failed), 0 to 1; null when none ended otherwise than cancelled. */
      success_rate: number | null;
    };
    PlaceBody: {
      /**
       * @description A company that you administer.
       * @example 06dqx3v8k2m7w0r5t9ya
       */
      company_id: string;
      /**
       * @description `none` takes away.
       * @example viewer
       * @enum {string}
       */
      role:
        | 'admin'
        | 'flow_editor'
        | 'flow_executor'
        | 'viewer'
        | 'audit_viewer'
        | 'integration_manager'
        | 'analytics_viewer'
        | 'none';
    };
    Play: {
      /** @description Not in lists. */
      args?: {
        [key: string]: unknown;
      };
      company_id: string;
      /** Format: date-time */
      completedAt: string | null;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      dueAt: string | null;
      /** @description Milliseconds, completedAt − startedAt. */
      duration: number | null;
      error: {
        code: string;
        message: string;
        ref: string | null;
      } | null;
      /** @description The play that its failure started (`settings.onFailure`). Not in lists. */
      failureHandledBy?: string | null;
      flowId: string;
      /** @description The failed play that started it, or what it is a retry, rerun or child of. Not in lists. */
      handlesFailureOf?: string | null;
      id: string;
      idempotencyKey: string | null;
      labels: {
        [key: string]: string;
      };
      /** @description Of the plays of a lane one at a time has its turn. Not in lists. */
      lane?: string | null;
      parentPlayId: string | null;
      priority: number;
      /** @description Its retry, of which it has one at most. Null: it has none, or has not failed. */
      retriedBy: {
        playId: string;
        /** @enum {string} */
        state: 'NEW' | 'RUN' | 'DONE' | 'FAIL' | 'SKIP' | 'FILTERED' | 'DEFERRED' | 'WAIT' | 'ON_HOLD';
      } | null;
      retrying: boolean;
      retryOf: string | null;
      /** Format: date-time */
      startedAt: string | null;
      /** @enum {string} */
      state: 'NEW' | 'RUN' | 'DONE' | 'FAIL' | 'SKIP' | 'FILTERED' | 'DEFERRED' | 'WAIT' | 'ON_HOLD';
      /** @enum {string} */
      trigger: 'api' | 'schedule' | 'retry' | 'rerun' | 'flow' | 'hook' | 'mcp';
      triggeredBy: string | null;
      version: number;
    };
    PlayCounts: {
      /** @description States with more plays than were counted. */
      capped: ('NEW' | 'RUN' | 'DONE' | 'FAIL' | 'SKIP' | 'FILTERED' | 'DEFERRED' | 'WAIT' | 'ON_HOLD')[];
      counts: {
        DEFERRED: number;
        DONE: number;
        FAIL: number;
        FILTERED: number;
        NEW: number;
        ON_HOLD: number;
        RUN: number;
        SKIP: number;
        WAIT: number;
      };
    };
    PlayFrame: {
      /** @description The fields of the event, as on the live stream. */
      data: {
        [key: string]: unknown;
      };
      playId: string;
      seq: number;
      /** @enum {string} */
      type: 'play_state_change' | 'layer_start' | 'layer_error' | 'layer_complete' | 'play_complete';
    };
    PlayLayer: {
      appId: string;
      /** @description Calls that are known to have ended. */
      attempts: number;
      /** Format: date-time */
      completedAt: string | null;
      error: {
        code: string;
        message: string;
      } | null;
      id: string;
      index: number;
      /** @description Further calls that may have been made: so often a worker was lost before the layer ended. Absent for none. */
      interruptions?: number;
      name: string;
      /** @description The output; over 256 KB `{ "$ref": path, "bytes": n }`. */
      out: unknown;
      outBytes: number;
      progress: number | null;
      ref: string;
      /** Format: date-time */
      startedAt: string | null;
      /** @enum {string} */
      state: 'NEW' | 'RUN' | 'DONE' | 'FAIL' | 'SKIP' | 'FILTERED' | 'DEFERRED' | 'WAIT';
    };
    PlayPage: {
      items: components['schemas']['Play'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
      page: number;
      size: number;
      /** @description Exact up to 10,000. */
      total: number;
      /** @description There are more than `total`. */
      totalCapped: boolean;
    };
    PlayWaiting: {
      /** @description Plays of the company before this one, counted up to 10,000. */
      ahead: number | null;
      /** @description Of a retry: the attempt that comes next. */
      attempt: number | null;
      /** @description Of a retry: the attempts in all. */
      attempts: number | null;
      /** @description Who waits for whom, from this play on, at most 50 plays: after each the one that holds it up, of several one that goes on by itself. Empty when this play waits for no turn, child, event or approval. */
      chain: components['schemas']['WaitChainEntry'][];
      /** @description The last play of the chain is one that it has named before: they wait for each other, until a time limit or a person ends one of them. */
      circle: boolean;
      /** @description How many the flow, the lane or the window of the company lets run at once. */
      limit: number | null;
      /** @description One sentence for people. */
      message: string;
      /** @description In the queue, from 1; null when it is over 10,000. */
      position: number | null;
      reason:
        | (
            | 'window'
            | 'gate'
            | 'due'
            | 'retry'
            | 'delay'
            | 'event'
            | 'approval'
            | 'child'
            | 'hold'
            | 'no_worker'
            | 'destination_down'
            | 'rate_limit'
            | 'lane'
          )
        | null;
      /** @description The layer that waits. */
      ref: string | null;
      /** Format: date-time */
      since: string | null;
      /** @enum {string} */
      state: 'NEW' | 'RUN' | 'DONE' | 'FAIL' | 'SKIP' | 'FILTERED' | 'DEFERRED' | 'WAIT' | 'ON_HOLD';
      /**
       * Format: date-time
       * @description When the wait ends by itself; null: never, or when it is its turn.
       */
      until: string | null;
    };
    PreviewPolicyBody: {
      /**
       * @description How long entries stay: an integer and m, d or y, up to 100y, or 0 for none.
       * @example 30d
       */
      cadence: string;
      /** @description By default true. */
      enabled?: boolean;
      /**
       * @description No entry younger than this goes, whatever other policies say.
       * @example 0
       */
      enforced_minimum?: string;
      /** @description For the plays of the flows of this group; the scope is flows.group. */
      flow_group_id?: string | null;
      /** @description For the plays of this flow only. */
      flow_id?: string | null;
      /** @description The policy in whose place this one is counted; without it, this one is counted as a further one. */
      id?: string;
      /** @description The newest entries that stay, however old. */
      min_entries?: number;
      /**
       * @description One of flows.all, flows.filtered, flows.group, plays, play_layers, audit, audit_logs, kv_stores; of a policy for one flow: nothing.
       * @example plays
       */
      scope?: string | null;
    };
    Problem: {
      /**
       * @description Stable; what programs decide by.
       * @enum {string}
       */
      code:
        | 'malformed_request'
        | 'malformed_json'
        | 'invalid_body'
        | 'unknown_field'
        | 'invalid_query'
        | 'password_too_long'
        | 'unauthenticated'
        | 'invalid_credentials'
        | 'session_expired'
        | 'token_invalid'
        | 'token_expired'
        | 'token_revoked'
        | 'insufficient_scope'
        | 'lane_denied'
        | 'denied'
        | 'cross_site'
        | 'session_required'
        | 'company_stopped'
        | 'operator_required'
        | 'not_found'
        | 'method_not_allowed'
        | 'request_timeout'
        | 'cursor_expired'
        | 'call_back_over'
        | 'version_conflict'
        | 'body_too_large'
        | 'headers_too_large'
        | 'unsupported_media_type'
        | 'flow_disabled'
        | 'flow_not_published'
        | 'version_not_published'
        | 'publishes_by_itself'
        | 'flow_is_blueprint'
        | 'not_a_blueprint'
        | 'illegal_move'
        | 'retry_the_parent'
        | 'ref_taken'
        | 'company_erasing'
        | 'email_taken'
        | 'last_admin'
        | 'confirm_needed'
        | 'nothing_to_skip'
        | 'lane_stopped'
        | 'not_final'
        | 'flow_group_in_use'
        | 'idempotency_key_in_use'
        | 'key_taken'
        | 'not_imported'
        | 'idempotency_mismatch'
        | 'delivery_not_kept'
        | 'unknown_app'
        | 'invalid_args'
        | 'invalid_options'
        | 'invalid_expression'
        | 'condition_failed'
        | 'invalid_cron'
        | 'invalid_timezone'
        | 'invalid_limit_key'
        | 'invalid_lane'
        | 'invalid_labels'
        | 'invalid_policy'
        | 'missing_blueprint_vars'
        | 'unknown_blueprint_vars'
        | 'invalid_document'
        | 'left_out'
        | 'required_case_failed'
        | 'too_many_test_cases'
        | 'too_many_schedules'
        | 'trigger_has_no_address'
        | 'too_many_triggers'
        | 'too_many_destinations'
        | 'uploads_full'
        | 'other_address'
        | 'not_authorizable'
        | 'too_many_apis'
        | 'too_many_webhooks'
        | 'unresolved_refs'
        | 'weak_password'
        | 'unknown_scope'
        | 'value_too_large'
        | 'unknown_id'
        | 'both_delay_and_date'
        | 'empty_filter'
        | 'not_changeable'
        | 'too_many_samples'
        | 'not_triable'
        | 'too_many_labels'
        | 'too_many_layers'
        | 'query_too_slow'
        | 'too_many_attempts'
        | 'too_many_uploads'
        | 'too_many_bulks'
        | 'too_many_plays'
        | 'too_many_dry_runs'
        | 'too_many_tries'
        | 'too_many_deliveries'
        | 'backlog_full'
        | 'too_many_runs'
        | 'storage_full'
        | 'kept_events_full'
        | 'too_many_sockets'
        | 'internal'
        | 'provider_unavailable'
        | 'no_worker'
        | 'call_unanswered'
        | 'store_unavailable';
      detail: string;
      errors: {
        code: string;
        message: string;
        path: string;
      }[];
      instance: string;
      reason: string | null;
      requestId: string;
      retryable: boolean;
      status: number;
      title: string;
      type: string;
    };
    Processes: {
      processes: {
        /** @description The name of its machine: with Kubernetes, of its pod. */
        host: string;
        /** @description New at each start. */
        id: string;
        /** @description What it is: `api`, `worker`, `realtime`, `scheduler` or `standalone`. */
        name: string;
        /**
         * Format: date-time
         * @description Its last sign of life; every 2 s. One that gives none for a minute is left out.
         */
        seen_at: string;
        /** Format: date-time */
        started_at: string;
        version: string;
      }[];
    };
    ProtectedResourceMetadata: {
      bearer_methods_supported: string[];
      resource: string;
      resource_documentation: string;
      resource_name: string;
      scopes_supported: string[];
    };
    ProviderChoices: {
      items: {
        id: string;
        login_url: string;
        name: string;
      }[];
    };
    PublishBody: {
      /**
       * @description Left out: the last version. An earlier one takes later ones back.
       * @example 7
       */
      version?: number;
    };
    PutSampleBody: {
      /**
       * @description What the layer gives, as later layers read it: any JSON value, up to 256 KB.
       * @example {
       *       "statusCode": 200,
       *       "json": {
       *         "orders": [
       *           {
       *             "id": 7
       *           }
       *         ]
       *       }
       *     }
       */
      out: unknown;
    };
    Queue: {
      /** @description Plays that could run and do not yet. */
      backlog: number;
      /** @description For operators: the ten companies with the most plays that wait, the first with the most. */
      companies: {
        /** @description More wait than were counted. */
        capped: boolean;
        company_id: string;
        name: string;
        /** @description Plays that wait for room in the window of the company, counted up to 10,000. */
        waiting: number;
      }[];
      shards: {
        /** @description With a worker. */
        active: number;
        name: string;
        /** @description How long the one that waits longest does; null when none waits. */
        oldest_ms: number | null;
        /** @description Rung, and with no worker yet. */
        waiting: number;
      }[];
      workers: {
        /** @description New at each start. */
        id: string;
        /** @description It executes the plays of companies with this label; null: of those without one. */
        label: string | null;
        /** @description Plays that it executes. */
        running: number;
        /**
         * Format: date-time
         * @description Its last sign of life; every 5 s. One that gives none for 20 s is left out.
         */
        seen_at: string;
        /** Format: date-time */
        started_at: string | null;
        /** @description Null of a worker that is older than this figure. */
        version: string | null;
      }[];
    };
    RateLimit: {
      limit: number;
      /** @enum {string} */
      per: 'second' | 'minute' | 'hour';
    };
    RateLimitBody: {
      /**
       * @description Calls in each period.
       * @example 50
       */
      limit: number;
      /**
       * @description The period.
       * @example second
       * @enum {string}
       */
      per: 'second' | 'minute' | 'hour';
    };
    RefreshApiBody: {
      /**
       * @description Only compare: the operations stay as they are. Default: false.
       * @example true
       */
      dryRun?: boolean;
      /** @description Another document than before, from now on unless dryRun. Where the document is: exactly one of url, document and payload. */
      source?: components['schemas']['ApiSourceBody'];
    };
    RefreshMcpServerBody: {
      /**
       * @description Only compare: the tools stay as they are. Default: false.
       * @example true
       */
      dryRun?: boolean;
      /**
       * @description Another address than before, from now on unless dryRun.
       * @example https://mcp.example.com/mcp
       */
      url?: string;
    };
    RepeatAnswer: {
      playId: string;
      retryOf: string;
      state: string;
    };
    RepeatBody: {
      /** @description Milliseconds between two rounds, 0 when left out. The play gives up its slot for more than 2,000. */
      delayMs?: number;
      /** @description Rounds in all, 100 when left out: after them the layer fails with repeat_exhausted. */
      max?: number;
      /**
       * @description One expression in braces over $repeat.out, the output of the round, and $repeat.index: when it is true, this was the last round.
       * @example {{ $repeat.out.json.status = "done" }}
       */
      until: string;
    };
    ReplayBody: {
      /**
       * @description failed: what was given up; all: every event of plays, also those that came while the webhook was disabled.
       * @enum {string}
       */
      only: 'failed' | 'all';
      /**
       * @description Events from this time on.
       * @example 2026-11-21T09:00:00Z
       */
      since: string;
      /**
       * @description Events before this time.
       * @example 2026-11-21T10:00:00Z
       */
      until: string;
    };
    RequestBody: {
      /**
       * @description The module that asks.
       * @enum {string}
       */
      appId: 'web-request' | 'operation' | 's3';
      /** @description Its arguments; expressions read `$prev.args.cursor`, which is null at first. */
      args: {
        [key: string]: unknown;
      };
    };
    RerunBody: {
      /**
       * @description Those of the play when left out; up to 512 KB.
       * @example {
       *       "order": 1042
       *     }
       */
      args?: {
        [key: string]: unknown;
      };
    };
    ResetLink: {
      /** @description API keys that still act as the user. */
      api_keys: components['schemas']['ApiKey'][];
      /** Format: date-time */
      expires_at: string;
      /** @description Accounts at identity providers that still open this one. */
      identities: components['schemas']['ExternalIdentity'][];
      /** @description Shown this once. */
      reset_url: string;
    };
    ResetPasswordBody: {
      /** @description Whether accounts at identity providers are untied, too; by default not. */
      end_identities?: boolean;
      /**
       * @description Whether the API keys that act as the user are revoked, too; by default not.
       * @example true
       */
      revoke_api_keys?: boolean;
    };
    RespondBody: {
      /** @description A text, or an object that is sent as JSON; with expressions. Default: no body. */
      body?:
        | (
            | string
            | {
                [key: string]: unknown;
              }
          )
        | null;
      /** @description Default: JSON for an object, else text/plain. */
      content_type?: string;
      /** @description Up to 20. */
      headers?: {
        [key: string]: string;
      };
      /** @description Default: 200. */
      status?: (number | string) | null;
    };
    ResumeBody: {
      /**
       * @description What a wait-event gives as `payload`; up to 512 KB.
       * @example {
       *       "paid": true
       *     }
       */
      payload?: unknown;
      /**
       * @description The layer that waits or will wait (a wait-event or a delay), or that pauses before its next attempt.
       * @example wait
       */
      ref: string;
    };
    RetentionPolicies: {
      policies: components['schemas']['RetentionPolicy'][];
    };
    RetentionPolicy: {
      cadence: string;
      company_id: string;
      /** Format: date-time */
      created_at: string;
      effective: {
        enforced_minimum: string;
        min_entries: number;
      };
      enabled: boolean;
      enforced_minimum: string;
      flow_group_id: string | null;
      flow_id: string | null;
      id: string;
      min_entries: number;
      /** Format: date-time */
      next_cleanup: string | null;
      /** @enum {string|null} */
      scope:
        | 'flows.all'
        | 'flows.filtered'
        | 'flows.group'
        | 'plays'
        | 'play_layers'
        | 'audit'
        | 'audit_logs'
        | 'kv_stores'
        | null;
      /** Format: date-time */
      updated_at: string;
    };
    RetentionPreview: {
      items: {
        /** @description There may be more of both: it counts for some seconds, and as far as 100,000 plays. */
        capped: boolean;
        /** @enum {string} */
        collection: 'flows' | 'plays' | 'play_layers' | 'audit_logs' | 'kv_stores';
        kept: number;
        /** @description Null: the default, or the rule of a scope without a policy. */
        policy_id: string | null;
        /** @enum {string|null} */
        scope:
          | 'flows.all'
          | 'flows.filtered'
          | 'flows.group'
          | 'plays'
          | 'play_layers'
          | 'audit'
          | 'audit_logs'
          | 'kv_stores'
          | null;
        would_delete: number;
      }[];
    };
    RetentionStats: {
      collections_processed: ('flows' | 'plays' | 'play_layers' | 'audit_logs' | 'kv_stores')[];
      /** @description Of the company, by the last cleanup. */
      entries_deleted: number;
      /** Format: date-time */
      last_cleanup: string | null;
      last_duration_ms: number | null;
      /** Format: date-time */
      next_cleanup: string | null;
    };
    RetryBody: {
      /** @description Calls in all, the first one included. */
      attempts: number;
      /**
       * @description Whether the pause stays the same, or doubles with each failure. exponential when left out.
       * @enum {string}
       */
      backoff?: 'fixed' | 'exponential';
      /** @description Milliseconds before the second call, 1,000 when left out; a random part of up to a half is taken off. */
      delayMs?: number;
      /** @description No pause is longer, in milliseconds. 60,000, or delayMs where that is more, when left out. */
      maxDelayMs?: number;
      /**
       * @description After which failures: statuses ("429", "5xx", "500-504") and error codes ("timeout", "connect"). When left out: after all that may pass, which a 4xx other than 408, 409, 421, 423, 425 and 429 does not.
       * @example [
       *       "429",
       *       "5xx",
       *       "timeout",
       *       "connect"
       *     ]
       */
      on?: string[];
    };
    RunAnswer: {
      playId: string;
      state: string;
    };
    RunBatchAnswer: {
      items: (
        | {
            playId: string;
            replayed: boolean;
            retryOf?: string;
            state: string;
          }
        | {
            error: {
              code: string;
              detail: string;
            };
          }
      )[];
    };
    RunBatchBody: {
      /** @description Each is judged by itself. */
      runs: components['schemas']['RunItemBody'][];
    };
    RunBody: {
      /**
       * @description Read by expressions as `{{ $prev.args.<name> }}`; up to 512 KB.
       * @example {
       *       "order": 1042
       *     }
       */
      args?: {
        [key: string]: unknown;
      };
      /** @description Start that many milliseconds from now. */
      delayMs?: number;
      /**
       * @description One play per key while it is not final or DONE. The header `Idempotency-Key` is the same thing. Not `hook:…`, `schedule:…`, `onFailure:…`: Weft gives such keys to plays that triggers, schedules and failures start.
       * @example order-1042
       */
      idempotencyKey?: string;
      /**
       * @description Of the play, by which it is found again. At most 10: a key of 1 to 63 letters, digits, `_`, `.` or `-`, and a text of 1 to 255 characters.
       * @example {
       *       "customer": "1042"
       *     }
       */
      labels?: {
        [key: string]: string;
      };
      /**
       * @description Plays of the company with the same lane run one after the other, in the order of acceptance (docs/lanes.md). It takes precedence over `settings.lane` of the flow.
       * @example customer-42
       */
      lane?: string;
      /** @description The play ends as SKIP, with the error `too_late`, if it has not begun by then. */
      notAfter?: string;
      /** @description Of the company’s plays that wait to be started, those with a higher one go first. When it is not given, what the flow says, or 0. It gives no larger share of the workers than the company has. */
      priority?: number;
      /** @description Start then. */
      runAt?: string;
      /** @description The version of the flow to run; left out: the one that is published. Others than editors run no drafts. */
      version?: number;
      /** @description Milliseconds to hold the answer: 200 with the outcome when the play ends in time, else 202. The play goes on either way. */
      wait?: number;
    };
    RunItemBody: {
      /**
       * @description Read by expressions as `{{ $prev.args.<name> }}`; up to 512 KB.
       * @example {
       *       "order": 1042
       *     }
       */
      args?: {
        [key: string]: unknown;
      };
      /** @description Start that many milliseconds from now. */
      delayMs?: number;
      /**
       * @description One play per key while it is not final or DONE. The header `Idempotency-Key` is the same thing. Not `hook:…`, `schedule:…`, `onFailure:…`: Weft gives such keys to plays that triggers, schedules and failures start.
       * @example order-1042
       */
      idempotencyKey?: string;
      /**
       * @description Of the play, by which it is found again. At most 10: a key of 1 to 63 letters, digits, `_`, `.` or `-`, and a text of 1 to 255 characters.
       * @example {
       *       "customer": "1042"
       *     }
       */
      labels?: {
        [key: string]: string;
      };
      /**
       * @description Plays of the company with the same lane run one after the other, in the order of acceptance (docs/lanes.md). It takes precedence over `settings.lane` of the flow.
       * @example customer-42
       */
      lane?: string;
      /** @description The play ends as SKIP, with the error `too_late`, if it has not begun by then. */
      notAfter?: string;
      /** @description Of the company’s plays that wait to be started, those with a higher one go first. When it is not given, what the flow says, or 0. It gives no larger share of the workers than the company has. */
      priority?: number;
      /** @description Start then. */
      runAt?: string;
      /** @description The version of the flow to run; left out: the one that is published. Others than editors run no drafts. */
      version?: number;
    };
    RunPlayBody: {
      /**
       * @description Read by expressions as `{{ $prev.args.<name> }}`; up to 512 KB.
       * @example {
       *       "order": 1042
       *     }
       */
      args?: {
        [key: string]: unknown;
      };
      /** @description Start that many milliseconds from now. */
      delayMs?: number;
      /**
       * @description The flow to run.
       * @example 06dqx3v8k2m7w0r5t9ya
       */
      flowId: string;
      /**
       * @description One play per key while it is not final or DONE. The header `Idempotency-Key` is the same thing. Not `hook:…`, `schedule:…`, `onFailure:…`: Weft gives such keys to plays that triggers, schedules and failures start.
       * @example order-1042
       */
      idempotencyKey?: string;
      /**
       * @description Of the play, by which it is found again. At most 10: a key of 1 to 63 letters, digits, `_`, `.` or `-`, and a text of 1 to 255 characters.
       * @example {
       *       "customer": "1042"
       *     }
       */
      labels?: {
        [key: string]: string;
      };
      /**
       * @description Plays of the company with the same lane run one after the other, in the order of acceptance (docs/lanes.md). It takes precedence over `settings.lane` of the flow.
       * @example customer-42
       */
      lane?: string;
      /** @description The play ends as SKIP, with the error `too_late`, if it has not begun by then. */
      notAfter?: string;
      /** @description Of the company’s plays that wait to be started, those with a higher one go first. When it is not given, what the flow says, or 0. It gives no larger share of the workers than the company has. */
      priority?: number;
      /** @description Start then. */
      runAt?: string;
      /** @description The version of the flow to run; left out: the one that is published. Others than editors run no drafts. */
      version?: number;
      /** @description Milliseconds to hold the answer: 200 with the outcome when the play ends in time, else 202. The play goes on either way. */
      wait?: number;
    };
    Sample: {
      /** @description Of `out` as JSON. */
      bytes: number;
      /** Format: date-time */
      keptAt: string;
      keptBy: string;
      /** @description Any JSON value. */
      out: unknown;
      /** @description Of the layer; the flow may not have it any more. */
      ref: string;
    };
    ScheduledJob: {
      args: {
        [key: string]: unknown;
      };
      /** @description Its runs have the rights of this user. */
      created_by: string;
      enabled: boolean;
      flow_id: string;
      id: string;
      labels: {
        [key: string]: string;
      };
      last_duration_ms: number | null;
      /** Format: date-time */
      last_run: string | null;
      /** @description The state of the newest run, as it is now. */
      last_status: string | null;
      /** @enum {string} */
      missed: 'none' | 'last' | 'all';
      missed_window: string;
      /**
       * Format: date-time
       * @description Null while it is paused or rests.
       */
      next_run: string | null;
      /** @enum {string} */
      overlap: 'skip' | 'queue' | 'allow';
      /** @description Why its slots come and go without a run. */
      resting: string | null;
      schedule: string;
      timezone: string;
    };
    ScheduledJobs: {
      jobs: components['schemas']['ScheduledJob'][];
    };
    SchedulePreview: {
      next: string[];
    };
    Session: {
      CompanyID: string;
      /** Format: date-time */
      CreatedAt: string;
      Current: boolean;
      /** Format: date-time */
      ExpiresAt: string;
      id: string;
      ID: string;
      IPAddress: string;
      /** Format: date-time */
      LastActivity: string;
      UserAgent: string;
      UserID: string;
    };
    SessionPage: {
      items: components['schemas']['Session'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
      page: number;
      size: number;
      /** @description Exact up to 10,000. */
      total: number;
      /** @description There are more than `total`. */
      totalCapped: boolean;
    };
    SetKvBody: {
      /** @description Milliseconds until the entry is gone; left out, it stays. */
      ttlMs?: number | null;
      /**
       * @description Any JSON value, up to 64 KB.
       * @example 42
       */
      value: unknown;
    };
    SignedIn: {
      companies: {
        company_id: string;
        name: string;
        /** @enum {string} */
        role:
          | 'admin'
          | 'flow_editor'
          | 'flow_executor'
          | 'viewer'
          | 'audit_viewer'
          | 'integration_manager'
          | 'analytics_viewer'
          | 'none';
      }[];
      company_id: string;
      /** Format: date-time */
      expires_at: string;
      roles: (
        | 'admin'
        | 'flow_editor'
        | 'flow_executor'
        | 'viewer'
        | 'audit_viewer'
        | 'integration_manager'
        | 'analytics_viewer'
        | 'none'
      )[];
      user: components['schemas']['User'];
    };
    SkipLaneBody: {
      /**
       * @description The play to skip; another one that has the turn by then is not skipped. Left out: whichever has the turn.
       * @example 06dqx3v8k2m7w0r5t9ya
       */
      playId?: string;
    };
    SourceBody: {
      /**
       * @description Of `poll`: what the next call reads as `$prev.args.cursor`; null leaves it as it is.
       * @example {{ .out.json.next }}
       */
      cursor?: string;
      /** @description Of `poll`, `rss` and `imap`: how long it waits after it found nothing new. Default: 300. */
      everySeconds?: number;
      /** @description Of `imap`: the folder that is read. Default: INBOX. */
      folder?: string;
      /**
       * @description Of `poll`: what tells one item from all others.
       * @example {{ $item.id }}
       */
      id?: string;
      /** @description Of `kafka`: the id of the link whose endpoint names brokers; of `sqs` of one of the kind aws_sigv4; of `imap` of one whose endpoint is a mail server. Of `rss`: whose credentials are shown, if any. */
      integrationId?: string;
      /**
       * @description Of `poll`: the list in the output of the call.
       * @example {{ .out.json.orders }}
       */
      items?: string;
      /**
       * @description A message of which no run can be made: `skip` logs it with its bytes and goes on (the default), `stop` reads no further in its partition.
       * @enum {string}
       */
      onPoison?: 'skip' | 'stop';
      /**
       * @description Of `sqs`: the address of the queue.
       * @example https://sqs.eu-central-1.amazonaws.com/123456789012/orders
       */
      queueUrl?: string;
      /** @description Of `poll`: the call that is made again and again. */
      request?: components['schemas']['RequestBody'];
      /** @description Where reading begins, once: `latest` (the default) takes what comes from then on, `earliest` all that is there, a time what is as young. */
      start?: string;
      /** @description Of `kafka`: what is read. */
      topic?: string;
      /** @description Of `rss`: the address of the feed, RSS or Atom. */
      url?: string;
      /** @description Of `imap`: the user for whom the link has a token. A link of the kind basic has its own. */
      user?: string;
    };
    StartBulkBody: {
      /**
       * @description What to do to each of them.
       * @enum {string}
       */
      action: 'cancel' | 'retry';
      /** @description All plays of the company that the action can change. */
      all?: boolean;
      /** @description Count the plays, change none. */
      dryRun?: boolean;
      /**
       * @description Plays that match, newest first; without a state, in those that the action can change. An empty one is refused.
       * @example {
       *       "state": "FAIL",
       *       "from": "2026-11-21T09:00:00Z"
       *     }
       */
      filter?: components['schemas']['BulkFilter'];
      /** @description These plays. Give ids, a filter or all. */
      ids?: string[];
      /** @description At most this many plays a second; as fast as it goes when left out. */
      ratePerSecond?: number;
    };
    SwitchCompanyBody: {
      /**
       * @description One of your companies.
       * @example 06dqx3v8k2m7w0r5t9ya
       */
      company_id: string;
    };
    TestCase: {
      args: {
        [key: string]: unknown;
      };
      /** Format: date-time */
      createdAt: string;
      createdBy: string;
      expected: {
        [key: string]: unknown;
      };
      fixtures: {
        [key: string]: unknown;
      };
      flowId: string;
      id: string;
      name: string;
      required: boolean;
      /** Format: date-time */
      updatedAt: string;
    };
    TestCasePage: {
      items: components['schemas']['TestCase'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
      page: number;
      size: number;
      /** @description Exact up to 10,000. */
      total: number;
      /** @description There are more than `total`. */
      totalCapped: boolean;
    };
    TestRun: {
      failed: number;
      items: {
        caseId: string;
        differences: {
          /** @description Any JSON value. */
          actual: unknown;
          /** @description Any JSON value. */
          expected: unknown;
          message: string;
          path: string;
        }[];
        passed: boolean;
      }[];
      passed: number;
    };
    TriedLayerBody: {
      /**
       * @description The module: see /modules.
       * @example web-request
       */
      appId?: string;
      /**
       * @description The module's arguments; texts may hold expressions. {} when left out.
       * @example {
       *       "url": "https://api.example.com/orders/{{ $prev.args.order }}"
       *     }
       */
      args?: {
        [key: string]: unknown;
      };
      /**
       * @description Runs the layer once for each item.
       * @example {
       *       "in": "{{ .fetch.json.orders }}"
       *     }
       */
      forEach?: components['schemas']['ForEachBody'] | null;
      /**
       * @description For people; the ref when left out.
       * @example Fetch the order
       */
      name?: string;
      /**
       * @description What a failure does to the play.
       * @enum {string}
       */
      onError?: 'fail' | 'continue';
      /**
       * @description What happens when a worker died in the middle of this layer.
       * @enum {string}
       */
      onInterrupted?: 'repeat' | 'fail';
      /**
       * @description By this name later layers read the output; unique in the flow.
       * @example fetch
       */
      ref: string;
      /** @description Runs the layer again until a condition is true; its output is that of the last round. */
      repeat?: components['schemas']['RepeatBody'] | null;
      /**
       * @description Further calls after a failure; null: none.
       * @example {
       *       "attempts": 3
       *     }
       */
      retry?: components['schemas']['RetryBody'] | null;
      /** @description Neighbours that name the same stage run at the same time; null: the layer runs alone. */
      stage?: string | null;
      /** @description Time limit of one attempt in milliseconds; null: 30,000. */
      timeoutMs?: number | null;
      /**
       * @description One expression in braces: when it is no (false, null, 0, "", "false"), the layer is FILTERED.
       * @example {{ $prev.args.urgent }}
       */
      when?: string | null;
    };
    Trigger: {
      action: {
        key?: string | null;
        name: string;
        ttlMs?: number;
        /** @enum {string} */
        type: 'event';
      } | null;
      args: {
        [key: string]: unknown;
      } | null;
      challenge: {
        /** @enum {string} */
        as: 'text' | 'json';
        field: string;
        /** @enum {string} */
        in: 'query' | 'body';
        when?: string | null;
      } | null;
      /** Format: date-time */
      createdAt: string;
      /** @description The user who made its address: its runs have the rights of this user. */
      createdBy: string;
      dedupe: {
        expression: string | null;
        header: string | null;
      } | null;
      enabled: boolean;
      flowId: string;
      id: string;
      labels: {
        [key: string]: string;
      };
      /**
       * Format: date-time
       * @description It listens: the next call until then becomes its sample.
       */
      listeningUntil: string | null;
      max_bytes: number;
      methods: string[];
      name: string;
      /** @description How far the source is read, some seconds old; null: nobody has begun to read, or it has an address. */
      reading: {
        error: {
          code: string;
          message: string;
        } | null;
        /** @description Messages that are there and not read; null: the source does not say it. */
        lag: number | null;
        /** Format: date-time */
        lastMessageAt: string | null;
        /**
         * @description paused: the company has too many plays, or the flow cannot run; failing: the source gives nothing, and is asked again; stopped: by a message of which no run can be made.
         * @enum {string}
         */
        state: 'starting' | 'reading' | 'paused' | 'failing' | 'stopped';
      } | null;
      respond: {
        body?:
          | (
              | string
              | {
                  [key: string]: unknown;
                }
            )
          | null;
        content_type?: string;
        headers?: {
          [key: string]: unknown;
        };
        status?: (number | string) | null;
      } | null;
      /** @description Why deliveries are answered with 404 although it is enabled. */
      resting: string | null;
      sample: {
        /** @description As expressions read it; null, too, when the call was too large to be kept. */
        body: unknown;
        bytes: number;
        headers: {
          [key: string]: unknown;
        };
        isComplete: boolean;
        method: string;
        query: {
          [key: string]: unknown;
        };
        /** Format: date-time */
        receivedAt: string;
        /** @description False: it could not be proven who sent it, and nothing was run. */
        verified: boolean;
      } | null;
      secret_names: string[];
      source: {
        cursor?: string;
        everySeconds?: number;
        folder?: string;
        id?: string;
        integrationId?: string;
        items?: string;
        /** @enum {string} */
        onPoison?: 'skip' | 'stop';
        queueUrl?: string;
        request?: {
          /** @enum {string} */
          appId: 'web-request' | 'operation' | 's3';
          args: {
            [key: string]: unknown;
          };
        };
        start?: string;
        topic?: string;
        url?: string;
        user?: string;
      } | null;
      /** @enum {string} */
      type: 'hook' | 'kafka' | 'sqs' | 'poll' | 'rss' | 'imap';
      /** Format: date-time */
      updatedAt: string;
      verifier: {
        algorithm: string | null;
        encoding: string | null;
        header: string | null;
        id_header: string | null;
        prefix: string | null;
        /** @description How many secrets are stored; they are never shown. */
        secret_count: number;
        separator: string | null;
        template: string | null;
        timestamp_header: string | null;
        timestamp_prefix: string | null;
        tolerance_seconds: number | null;
        type: string;
        username: string | null;
      };
      wait: number;
      when: string | null;
    };
    TriggerAddress: {
      id: string;
      /** @description Where deliveries are sent. It is shown this once: it is a secret. */
      url: string;
    };
    TriggerPage: {
      items: components['schemas']['Trigger'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
      page: number;
      size: number;
      /** @description Exact up to 10,000. */
      total: number;
      /** @description There are more than `total`. */
      totalCapped: boolean;
    };
    UpdateApiBody: {
      /** @description Takes the place of the servers of the document, for an installation of your own; null: those hold. */
      baseUrl?: string | null;
      /** @description The link of the API: the document is fetched with it where that is at the origin of its endpoint, and forms of layers begin with it. Layers name their own. */
      integrationId?: string | null;
      /**
       * @description What layers may name it by instead of its id; unique in the company.
       * @example orders
       */
      key?: string | null;
      /**
       * @description What people call it.
       * @example Orders of the shop
       */
      name?: string;
      /**
       * @description An OpenAPI Overlay 1.0, which mends the document at each import from the next one on; null: none. Its targets see the document as one of OpenAPI 3.1.
       * @example {
       *       "overlay": "1.0.0",
       *       "actions": [
       *         {
       *           "target": "$.paths['/internal']",
       *           "remove": true
       *         }
       *       ]
       *     }
       */
      overlay?: {
        [key: string]: unknown;
      } | null;
    };
    UpdateCompanyBody: {
      /** @description False: nobody can act in it, by session or by key. For operators. */
      active?: boolean;
      /**
       * @description How many of its plays may wait before a run is refused; null: as many as RUN_BACKLOG_MAX says. For operators.
       * @example 50000
       */
      backlog_max?: number | null;
      /**
       * @description How many bytes of plays, files and large values it may store; null: any number. For operators.
       * @example 10000000000
       */
      bytes_max?: number | null;
      /**
       * @description Need not be unique.
       * @example Heron Works
       */
      name?: string;
      /**
       * @description How many runs it may start in a second, ten seconds of it at once; null: any number. For operators.
       * @example 50
       */
      runs_per_second?: number | null;
      /**
       * @description The workers with this label (WORKER_LABEL) execute its plays, and no others; null: those without one. It is a lower-case letter, then up to 29 lower-case letters, digits and dashes. For operators.
       * @example acme
       */
      worker_label?: string | null;
    };
    UpdateDestinationBody: {
      /**
       * @description How often the layers of the company call, over all workers; null: as often as they do.
       * @example {
       *       "limit": 50,
       *       "per": "second"
       *     }
       */
      rate_limit?: components['schemas']['RateLimitBody'] | null;
    };
    UpdateFlowBody: {
      /**
       * @description JSON Schema that the args of runs must fit; null: none. Its keywords: docs/flows.md.
       * @example {
       *       "type": "object",
       *       "properties": {
       *         "order": {
       *           "type": "integer"
       *         }
       *       },
       *       "required": [
       *         "order"
       *       ]
       *     }
       */
      argsSchema?: {
        [key: string]: unknown;
      } | null;
      /**
       * @description New values of variables that the flow reads as `{{ $blueprint.<name> }}`; those that are not named stay. Values are not shown.
       * @example {
       *       "host": "api.example.com"
       *     }
       */
      blueprintVars?: {
        [key: string]: string;
      };
      /**
       * @description A word to sort flows by.
       * @example Orders
       */
      category?: string;
      /** @description What the flow is for. */
      description?: string;
      /** @description A disabled flow is not run. */
      enabled?: boolean;
      /** @description The flow group that it belongs to. */
      groupId?: string | null;
      /** @description A blueprint is instantiated, not run. */
      isBlueprint?: boolean;
      /**
       * @description Your own name for it, unique in the company: `PUT /flows/by-key/{key}/document` finds it. null: none.
       * @example order-intake
       */
      key?: string | null;
      /** @description All layers in their order: they replace those that the flow has. Options left out are none. */
      layers?: components['schemas']['FlowLayerBody'][];
      /**
       * @description Need not be unique.
       * @example Order intake
       */
      name?: string;
      /** @description Only admins, the creator and grants open it; roles do not. */
      restricted?: boolean;
      /** @description Fields left out stay as they are. */
      settings?: components['schemas']['FlowSettingsBody'];
      /**
       * @description An expression, judged when a run is accepted: false, and the play is SKIP at once. null: always run.
       * @example {{ $prev.args.urgent }}
       */
      when?: string | null;
    };
    UpdateFlowGroupBody: {
      /**
       * @description Need not be unique.
       * @example Order intake
       */
      name?: string;
    };
    UpdateGroupBody: {
      /**
       * @description Need not be unique.
       * @example Night shift
       */
      name?: string;
    };
    UpdateIntegrationBody: {
      /**
       * @description Token or API key; of a mail server user:password; of a chat the address of its incoming webhook. Never shown again.
       * @example mailer:secret
       */
      access_token?: string;
      /** @description Of the client at the authorization server; never shown again. */
      client_secret?: string;
      /**
       * @description Where the service is: smtp(s)://host:port or imap(s)://host:port of a mail server, postgres://host:port/database or mysql://host:port/database, kafka://host:port,host:port of up to ten brokers, or the base address of an API. Not secret.
       * @example smtps://mail.example.com:465
       */
      endpoint?: string | null;
      /**
       * @description Your own name for it, unique in the company: layers and flow documents may name the link by it. null: none.
       * @example support-mail
       */
      key?: string | null;
      /**
       * @description How requests show the credentials; default: bearer.
       * @enum {string}
       */
      kind?:
        | 'bearer'
        | 'header'
        | 'basic'
        | 'query'
        | 'hmac'
        | 'headers'
        | 'aws_sigv4'
        | 'oauth2_client_credentials'
        | 'oauth2';
      /**
       * @description What people call it.
       * @example Mail of the support team
       */
      name?: string;
      /** @description Of `basic`; may be empty; never shown again. */
      password?: string;
      /**
       * @description How often the layers of the company call, over all workers; null: as often as they do.
       * @example {
       *       "limit": 50,
       *       "per": "second"
       *     }
       */
      rate_limit?: components['schemas']['RateLimitBody'] | null;
      /** @description Where type is the id of an identity provider, the access token is renewed by it there. */
      refresh_token?: string | null;
      /** @description What the token was given for. */
      scopes?: string[];
      /** @description Of `headers`: secrets under names of your own. Of `aws_sigv4`: access_key_id, secret_access_key, and session_token of keys that end. Never shown again. */
      secrets?: {
        [key: string]: string;
      };
      /** @description What the kind needs besides its secrets. Not secret. */
      settings?: components['schemas']['LinkSettingsBody'];
      /** @description How to test the link: any 2xx is a success. */
      test?: components['schemas']['LinkTestBody'] | null;
      /** @description When the access token ends, a time in ISO 8601; null: not known. */
      token_expiry?: string | null;
      /** @description Of `basic`; never shown again. */
      username?: string;
    };
    UpdateLayerBody: {
      /**
       * @description The module: see /modules.
       * @example web-request
       */
      appId?: string;
      /** @description Replaces the arguments as a whole. */
      args?: {
        [key: string]: unknown;
      };
      /**
       * @description Runs the layer once for each item.
       * @example {
       *       "in": "{{ .fetch.json.orders }}"
       *     }
       */
      forEach?: components['schemas']['ForEachBody'] | null;
      /** @description Position from 0, the end when left out. A taken one moves that layer and those behind up. */
      index?: number;
      /**
       * @description For people; the ref when left out.
       * @example Fetch the order
       */
      name?: string;
      /**
       * @description What a failure does to the play.
       * @enum {string}
       */
      onError?: 'fail' | 'continue';
      /**
       * @description What happens when a worker died in the middle of this layer.
       * @enum {string}
       */
      onInterrupted?: 'repeat' | 'fail';
      /**
       * @description By this name later layers read the output; unique in the flow.
       * @example fetch
       */
      ref?: string;
      /** @description Runs the layer again until a condition is true; its output is that of the last round. */
      repeat?: components['schemas']['RepeatBody'] | null;
      /**
       * @description Further calls after a failure; null: none.
       * @example {
       *       "attempts": 3
       *     }
       */
      retry?: components['schemas']['RetryBody'] | null;
      /** @description Neighbours that name the same stage run at the same time; null: the layer runs alone. */
      stage?: string | null;
      /** @description Time limit of one attempt in milliseconds; null: 30,000. */
      timeoutMs?: number | null;
      /**
       * @description One expression in braces: when it is no (false, null, 0, "", "false"), the layer is FILTERED.
       * @example {{ $prev.args.urgent }}
       */
      when?: string | null;
    };
    UpdateMcpServerBody: {
      /**
       * @description Which revisions of the protocol are tried: `2026`, `2025` (and earlier ones), or `auto`: both. Default: auto.
       * @enum {string}
       */
      era?: 'auto' | '2026' | '2025';
      /** @description Integration link whose credential is shown to the server, at the origin of its endpoint alone. */
      integrationId?: string | null;
      /**
       * @description What layers may name it by instead of its id; unique in the company.
       * @example wiki
       */
      key?: string | null;
      /**
       * @description What people call it.
       * @example Wiki
       */
      name?: string;
    };
    UpdatePolicyBody: {
      /**
       * @description How long entries stay: an integer and m, d or y, up to 100y, or 0 for none.
       * @example 30d
       */
      cadence?: string;
      /** @description A policy that is not enabled is as if it were not there; see docs/retention.md. */
      enabled?: boolean;
      /** @description No entry younger than this goes. */
      enforced_minimum?: string;
      /** @description For the plays of the flows of this group. */
      flow_group_id?: string | null;
      /** @description For the plays of this flow only. */
      flow_id?: string | null;
      /** @description The newest entries that stay, however old. */
      min_entries?: number;
      /** @description One of flows.all, flows.filtered, flows.group, plays, play_layers, audit, audit_logs, kv_stores; of a policy for one flow: nothing. */
      scope?: string | null;
    };
    UpdateProviderBody: {
      /** @description Id of the company of who belongs to none. */
      auto_assign_company?: string | null;
      /**
       * @description Role in that company; by default none.
       * @enum {string}
       */
      auto_assign_role?:
        | 'admin'
        | 'flow_editor'
        | 'flow_executor'
        | 'viewer'
        | 'audit_viewer'
        | 'integration_manager'
        | 'analytics_viewer'
        | 'none';
      /** @description Whether who comes for the first time becomes a user; by default not. */
      auto_create_users?: boolean;
      /**
       * @description What this installation is called there.
       * @example weft
       */
      client_id?: string;
      /** @description Never shown again. */
      client_secret?: string | null;
      /**
       * @description Its issuer, exactly as its tokens have it; https, or http on this machine.
       * @example https://id.example.com
       */
      issuer?: string;
      /**
       * @description What the sign-in page calls it.
       * @example Example ID
       */
      name?: string;
      /** @description The callback as the provider knows it; by default API_URL followed by /auth/callback. */
      redirect_uri?: string | null;
      /** @description What is asked for; by default openid, profile and email. openid must be among them. */
      scopes?: string[];
    };
    UpdateScheduleBody: {
      /** @description Args of each run, up to 16 KB. Default: none. */
      args?: {
        [key: string]: unknown;
      };
      /** @description False: it is paused. Default: true. */
      enabled?: boolean;
      /**
       * @description The flow that runs.
       * @example 06dqx3v8k2m7w0r5t9ya
       */
      flow_id?: string;
      /**
       * @description Of the play of each run. At most 10: a key of 1 to 63 letters, digits, `_`, `.` or `-`, and a text of 1 to 255 characters.
       * @example {
       *       "customer": "1042"
       *     }
       */
      labels?: {
        [key: string]: string;
      };
      /**
       * @description Which slots are made up for that no scheduler could fire in time. Default: last.
       * @enum {string}
       */
      missed?: 'none' | 'last' | 'all';
      /**
       * @description Missed slots older than that are let go: an integer and m, d or y, or 0. Default: 1d.
       * @example 12m
       */
      missed_window?: string;
      /**
       * @description What becomes of a slot while an earlier run is open: SKIP, it waits, or it runs beside. Default: skip.
       * @enum {string}
       */
      overlap?: 'skip' | 'queue' | 'allow';
      /**
       * @description Five cron fields: minute, hour, day of month, month, day of week.
       * @example 30 6 * * 1-5
       */
      schedule?: string;
      /**
       * @description IANA name of the zone that the fields are read in. Default: UTC.
       * @example Europe/Berlin
       */
      timezone?: string;
    };
    UpdateTestCaseBody: {
      /** @description Arguments of the run. {} when left out. */
      args?: {
        [key: string]: unknown;
      };
      /**
       * @description Ref → part of the out that the layer must give: fields left out may be anything, lists have this length.
       * @example {
       *       "tell": {
       *         "text": "It is ok."
       *       }
       *     }
       */
      expected?: {
        [key: string]: unknown;
      };
      /**
       * @description Ref → the out that stands in for the layer's own. A layer that reaches outside needs one.
       * @example {
       *       "fetch": {
       *         "statusCode": 200,
       *         "json": {
       *           "ok": true
       *         }
       *       }
       *     }
       */
      fixtures?: {
        [key: string]: unknown;
      };
      /**
       * @description For people.
       * @example tells that it is ok
       */
      name?: string;
      /** @description The flow cannot be enabled while this case fails. */
      required?: boolean;
    };
    UpdateTriggerBody: {
      /** @description Default: a run of the flow. */
      action?: components['schemas']['ActionBody'] | null;
      /** @description Args of the run, with expressions over `$hook`. Default: `{ body, headers, query }`. */
      args?: {
        [key: string]: unknown;
      } | null;
      /** @description How a sender checks the address, where its type does not say it. */
      challenge?: components['schemas']['ChallengeBody'] | null;
      /** @description Where the id of a delivery is. Default: where the sender’s type has it. */
      dedupe?: components['schemas']['DedupeBody'] | null;
      /** @description False: deliveries are answered with 404. Default: true. */
      enabled?: boolean;
      /**
       * @description Of its plays. At most 10: a key of 1 to 63 letters, digits, `_`, `.` or `-`, and a text of 1 to 255 characters.
       * @example {
       *       "customer": "1042"
       *     }
       */
      labels?: {
        [key: string]: string;
      };
      /** @description The largest body. Default: 1 MB; a larger one than 1 MB reads as a file. */
      max_bytes?: number;
      /** @description Which methods deliver. Default: POST. HEAD is answered and runs nothing. */
      methods?: ('GET' | 'HEAD' | 'POST' | 'PUT')[];
      /**
       * @description For people.
       * @example orders of the shop
       */
      name?: string;
      /** @description The answer to the sender: over `$hook`, and with `wait` over `.out`, `.error` and `.state` of the play. */
      respond?: components['schemas']['RespondBody'] | null;
      /**
       * @description Headers and query parameters, in any case, whose values are replaced by `[secret]`, besides those whose names indicate credentials.
       * @example [
       *       "x-customer-number"
       *     ]
       */
      secret_names?: string[];
      /** @description What a trigger that reads messages reads. */
      source?: components['schemas']['SourceBody'] | null;
      /**
       * @description `hook` (the default) has an address for deliveries; the others read messages. It never changes.
       * @enum {string}
       */
      type?: 'hook' | 'kafka' | 'sqs' | 'poll' | 'rss' | 'imap';
      /**
       * @description How a delivery proves who sent it; a hook needs one. A change replaces it; secrets left out stay.
       * @example {
       *       "type": "bearer",
       *       "token": "a-secret-of-the-sender"
       *     }
       */
      verifier?: components['schemas']['VerifierBody'];
      /** @description Milliseconds for which the answer is held for the outcome. Default: 0. */
      wait?: number;
      /** @description A condition over `$hook`: deliveries for which it is false run nothing. */
      when?: string | null;
    };
    UpdateUserBody: {
      /** @description False keeps the user out of this company. */
      active?: boolean;
      /**
       * @description What to call them.
       * @example Ada
       */
      name?: string | null;
      /** @description Companies left out stay as they are. */
      roles?: components['schemas']['PlaceBody'][];
    };
    UpdateWebhookBody: {
      /** @description False: it gets nothing. Default: true. */
      enabled?: boolean;
      /**
       * @description The types of events that it gets.
       * @example [
       *       "play.done",
       *       "play.failed"
       *     ]
       */
      events?: (
        | 'play.accepted'
        | 'play.waiting'
        | 'play.done'
        | 'play.failed'
        | 'play.skipped'
        | 'play.filtered'
        | 'flow.changed'
        | 'schedule.missed'
        | 'webhook.disabled'
      )[];
      /** @description Events of these flows only; null: of all. */
      flow_ids?: string[] | null;
      /** @description True: events of ends have the output of the last layer, up to 16 KB. */
      include_out?: boolean;
      /** @description Events of plays with all of these labels only; null: of all. */
      labels?: {
        [key: string]: string;
      } | null;
      /** @description At most this many attempts at once. Default: 10. */
      max_in_flight?: number;
      /**
       * @description What people call it.
       * @example Orders to the warehouse
       */
      name?: string;
      /** @description Whom a mail tells that it was disabled. */
      notify?: components['schemas']['NotifyBody'] | null;
      /** @description True: one event after the other, in the order of the change feed; one that fails holds up the others. */
      ordered?: boolean;
      /** @description At most this many attempts a second; null: as fast as the receiver answers. */
      rate_per_second?: number | null;
      /** @description Seconds before each attempt; null: 0, 5 s, 5 and 30 min, 2, 5, 10, 14, 20 and 24 h. */
      schedule?: number[] | null;
      /**
       * @description Where events are posted to. Values of its query are not shown again.
       * @example https://hooks.example.com/weft
       */
      url?: string;
    };
    Upload: {
      /** @description What args and bodies refer to it by, and the path that gives the bytes. */
      $ref: string;
      bytes: number;
      contentType: string;
      /**
       * Format: date-time
       * @description When it is deleted if no run uses it before; each use adds a day.
       */
      expires_at: string;
      filename: string | null;
      /** @description Hexadecimal, of the bytes as they were received. */
      sha256: string;
    };
    User: {
      company_roles: {
        company_id: string;
        /** @enum {string} */
        role:
          | 'admin'
          | 'flow_editor'
          | 'flow_executor'
          | 'viewer'
          | 'audit_viewer'
          | 'integration_manager'
          | 'analytics_viewer'
          | 'none';
      }[];
      /** Format: date-time */
      created_at: string;
      email: string;
      id: string;
      /** Format: date-time */
      last_activity: string | null;
      name: string | null;
      operator: boolean;
      /** @enum {string} */
      state: 'active' | 'invited' | 'deactivated';
    };
    UserPage: {
      items: components['schemas']['User'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
      page: number;
      size: number;
      /** @description Exact up to 10,000. */
      total: number;
      /** @description There are more than `total`. */
      totalCapped: boolean;
    };
    VerifierBody: {
      /**
       * @description Of `hmac`; default: sha256.
       * @enum {string}
       */
      algorithm?: 'sha1' | 'sha256' | 'sha512';
      /**
       * @description Of the signature, of `hmac`; default: hex.
       * @enum {string}
       */
      encoding?: 'hex' | 'base64' | 'base64url';
      /** @description Of `hmac`: the header with the signature. Of `token`: with the token. */
      header?: string;
      /** @description Of `hmac`: the header with the id. */
      id_header?: string | null;
      /** @description Of `basic`; never shown again. */
      password?: string;
      /** @description Before the signature, of `hmac`, for example `sha256=`. */
      prefix?: string;
      /** @description Up to five, of which one is enough, so that they can be rotated; never shown again. */
      secrets?: string[];
      /**
       * @description Of `hmac`: between the parts of the header, where it has several; default: a blank.
       * @enum {string}
       */
      separator?: ' ' | ',' | ';';
      /** @description What is signed, of `hmac`: text with `{body}`, `{timestamp}`, `{id}` and `{url}`; default: `{body}`. */
      template?: string;
      /** @description Of `hmac`: the header with Unix seconds. */
      timestamp_header?: string | null;
      /** @description Of `hmac`: before Unix seconds in a part of the same header, for example `t=`. */
      timestamp_prefix?: string | null;
      /** @description Of `bearer`, `token` and `gitlab`; of `meta` the verify token, of `msgraph` the `clientState`. Never shown again. */
      token?: string;
      /** @description Of `hmac`: age of the timestamp; default: 300. */
      tolerance_seconds?: number;
      /**
       * @description Who is trusted: see the page on triggers.
       * @enum {string}
       */
      type:
        | 'none'
        | 'basic'
        | 'bearer'
        | 'token'
        | 'hmac'
        | 'standard'
        | 'svix'
        | 'github'
        | 'gitlab'
        | 'stripe'
        | 'slack'
        | 'shopify'
        | 'meta'
        | 'dropbox'
        | 'msgraph'
        | 'monday'
        | 'twilio'
        | 'calendly'
        | 'paddle';
      /** @description Of `basic`. */
      username?: string;
    };
    WaitChainEntry: {
      flowId: string | null;
      /** @description null: the caller may not read the play. */
      playId: string | null;
      /** @description Of a turn: `lane:<name>`, or `flow:<id>` of a flow with a concurrency limit, `flow:<id>:<key>` if the limit has a key. */
      queue?: string;
      /** @description What the play waits for; null: none of these, so the chain ends with it. */
      waitsFor: ('turn' | 'child' | 'event' | 'approval') | null;
    };
    Webhook: {
      company_id: string;
      /** Format: date-time */
      created_at: string;
      created_by: string;
      /** @description Why Weft disabled it. */
      disabled_reason: string | null;
      enabled: boolean;
      events: (
        | 'play.accepted'
        | 'play.waiting'
        | 'play.done'
        | 'play.failed'
        | 'play.skipped'
        | 'play.filtered'
        | 'flow.changed'
        | 'schedule.missed'
        | 'webhook.disabled'
      )[];
      /**
       * Format: date-time
       * @description Since when every attempt has failed.
       */
      failing_since: string | null;
      flow_ids: string[] | null;
      id: string;
      include_out: boolean;
      labels: {
        [key: string]: unknown;
      } | null;
      max_in_flight: number;
      name: string;
      notify: {
        integrationId: string;
        to: string;
      } | null;
      ordered: boolean;
      rate_per_second: number | null;
      schedule: number[] | null;
      /** @enum {string} */
      signing: 'v1' | 'v1a';
      /** Format: date-time */
      updated_at: string;
      /** @description Values of its query as `[redacted]`. */
      url: string;
    };
    WebhookDelivery: {
      /**
       * Format: date-time
       * @description When it happened.
       */
      at: string;
      attempts: {
        /** @description The first 2 KB of the answer. */
        answer: string | null;
        /** Format: date-time */
        at: string;
        duration_ms: number;
        error: string | null;
        status: number | null;
      }[];
      /** @enum {string} */
      event:
        | 'play.accepted'
        | 'play.waiting'
        | 'play.done'
        | 'play.failed'
        | 'play.skipped'
        | 'play.filtered'
        | 'flow.changed'
        | 'schedule.missed'
        | 'webhook.disabled';
      /** @description The header `webhook-id`. */
      id: string;
      /** Format: date-time */
      next_attempt: string | null;
      playId: string | null;
      /** @description Number of the frame in the play’s own stream; 0: it was accepted. */
      seq: number | null;
      /** @enum {string} */
      state: 'pending' | 'delivered' | 'failed' | 'aborted';
      webhook_id: string;
    };
    WebhookDeliveryPage: {
      items: components['schemas']['WebhookDelivery'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
      page: number;
      size: number;
      /** @description Exact up to 10,000. */
      total: number;
      /** @description There are more than `total`. */
      totalCapped: boolean;
    };
    WebhookPage: {
      items: components['schemas']['Webhook'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
      page: number;
      size: number;
      /** @description Exact up to 10,000. */
      total: number;
      /** @description There are more than `total`. */
      totalCapped: boolean;
    };
    WebhookReplay: {
      /** @enum {string} */
      action: 'replay';
      /** @description Of them, those that are sent again. */
      changed: number;
      /** Format: date-time */
      completedAt: string | null;
      /** Format: date-time */
      createdAt: string;
      failed: number;
      id: string;
      /** @description Events that were found so far. */
      matched: number;
      /** @enum {string} */
      only: 'failed' | 'all';
      /** Format: date-time */
      since: string;
      skipped: number;
      /** @enum {string} */
      state: 'running' | 'done' | 'aborted';
      /** Format: date-time */
      until: string;
      webhook_id: string;
    };
    WebhookReplayPage: {
      items: components['schemas']['WebhookReplay'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
      page: number;
      size: number;
      /** @description Exact up to 10,000. */
      total: number;
      /** @description There are more than `total`. */
      totalCapped: boolean;
    };
    WebhookSecret: {
      /** @description With v1a: what signatures are verified with. */
      public_key?: string;
      /** @description With v1: what signatures are verified with. Shown this once. */
      secret?: string;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  Mcp_metadata: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The metadata of the protected resource. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProtectedResourceMetadata'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Health_read_api: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It can. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['HealthReport'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  OpenApi_read: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OpenAPI 3.1. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            [key: string]: unknown;
          };
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Grants_grant: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "resource_type": "flow",
         *       "resource_id": "06dqx3v8k2m7w0r5t9ya",
         *       "grant_type": "user",
         *       "grantee_id": "06dqx3v8k2m7w0r5t9ya",
         *       "permissions": [
         *         "read",
         *         "execute"
         *       ]
         *     }
         */
        'application/json': components['schemas']['GrantBody'];
      };
    };
    responses: {
      /** @description The grant was there; it has these permissions now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Grant'];
        };
      };
      /** @description The grant. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Grant'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Grants_list: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description To this user or group. */
        grantee_id?: string;
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description On this thing. */
        resource_id?: string;
        /** @description On things of this kind. */
        resource_type?: 'flow' | 'flow_group' | 'integration';
        /** @description Items per page. */
        size?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of grants. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GrantPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Grants_remove: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The grant. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Taken back. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  ApiKeys_list: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description Items per page. */
        size?: number;
        /** @description Only keys of this user. */
        user_id?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of keys, without their tokens. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApiKeyPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  ApiKeys_create: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "name": "Order intake",
         *       "scope": "api:read"
         *     }
         */
        'application/json': components['schemas']['CreateApiKeyBody'];
      };
    };
    responses: {
      /** @description The key with its token. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NewApiKey'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  ApiKeys_read: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The API key. */
        key_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The key, without its token. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApiKey'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  ApiKeys_revoke: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The API key. */
        key_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The key is refused from now on. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Config_read: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description All settings. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Config'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Config_change: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "retention.cleanup_interval": "2m"
         *     }
         */
        'application/json': {
          /** @enum {string} */
          'logging.level'?: 'debug' | 'info' | 'warn' | 'error';
          /** @example 2m */
          'retention.cleanup_interval'?: string;
          /** @description Of sessions that begin or are renewed from now on. */
          'session.ttl_hours'?: number;
        };
      };
    };
    responses: {
      /** @description All settings as they are now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Config'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Jobs_list: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description All of them. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Jobs'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Jobs_read: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The name of the background job, for example `retention`. */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The job. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Job'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Jobs_run: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The name of the background job, for example `retention`. */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The job as it is now. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Job'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  OAuthProviders_list: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description Items per page. */
        size?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of providers, without their secrets. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OAuthProviderPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  OAuthProviders_create: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "name": "Example ID",
         *       "issuer": "https://id.example.com",
         *       "client_id": "weft"
         *     }
         */
        'application/json': components['schemas']['CreateProviderBody'];
      };
    };
    responses: {
      /** @description The provider, without its secret. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OAuthProvider'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  OAuthProviders_read: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The identity provider. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The provider, without its secret. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OAuthProvider'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  OAuthProviders_remove: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The identity provider. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Nobody signs in there any more. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  OAuthProviders_update: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The identity provider. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "name": "Example ID",
         *       "issuer": "https://id.example.com",
         *       "client_id": "weft"
         *     }
         */
        'application/json': components['schemas']['UpdateProviderBody'];
      };
    };
    responses: {
      /** @description The provider as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OAuthProvider'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Processes_list: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Up to 1,000, by name, the oldest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Processes'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  QueueAdmin_read: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description As they are now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Queue'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  RetentionPolicies_list: {
    parameters: {
      query?: {
        /** @description The company that you act in; there is no looking into another one. */
        company_id?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description All policies of the company. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RetentionPolicies'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  RetentionPolicies_create: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "scope": "plays",
         *       "cadence": "30d",
         *       "enforced_minimum": "0"
         *     }
         */
        'application/json': components['schemas']['CreatePolicyBody'];
      };
    };
    responses: {
      /** @description The policy; `effective` says what holds where a value is under a floor. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RetentionPolicy'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  RetentionPolicies_read: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The retention policy. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The policy. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RetentionPolicy'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  RetentionPolicies_remove: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The retention policy. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  RetentionPolicies_update: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The retention policy. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "cadence": "30d"
         *     }
         */
        'application/json': components['schemas']['UpdatePolicyBody'];
      };
    };
    responses: {
      /** @description The policy as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RetentionPolicy'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  RetentionPolicies_preview: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One item for each rule. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RetentionPreview'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  RetentionPolicies_previewOf: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "scope": "plays",
         *       "cadence": "30d",
         *       "enforced_minimum": "0"
         *     }
         */
        'application/json': components['schemas']['PreviewPolicyBody'];
      };
    };
    responses: {
      /** @description One item for each rule; the `policy_id` of a further policy is `new`. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RetentionPreview'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  RetentionPolicies_stats: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Of the last cleanup, and when the next one is. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RetentionStats'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Analytics_byFlow: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description Items per page. */
        size?: number;
        /** @description How far back, to now: 60 minutes, or 24 or 168 hours, the current one among them. Default 24h. */
        window?: '1h' | '24h' | '7d';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of flows, newest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['FlowFiguresPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Analytics_ofFlow: {
    parameters: {
      query?: {
        /** @description How far back, to now: 60 minutes, or 24 or 168 hours, the current one among them. Default 24h. */
        window?: '1h' | '24h' | '7d';
      };
      header?: never;
      path: {
        /** @description The flow. */
        flowId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The flow’s figures. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OneFlowFigures'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Analytics_overview: {
    parameters: {
      query?: {
        /** @description How far back, to now: 60 minutes, or 24 or 168 hours, the current one among them. Default 24h. */
        window?: '1h' | '24h' | '7d';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The company’s figures. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Overview'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Apis_list: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description Items per page. */
        size?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of APIs. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApiPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Apis_create: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "name": "Orders of the shop",
         *       "key": "orders",
         *       "source": {
         *         "url": "https://api.example.com/openapi.json"
         *       }
         *     }
         */
        'application/json': components['schemas']['CreateApiBody'];
      };
    };
    responses: {
      /** @description The API, importing: read it until its state is another one. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Api'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Apis_read: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The API, by its id or its key. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The API. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApiWithReport'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Apis_remove: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The API, by its id or its key. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Apis_update: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The API, by its id or its key. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "name": "Orders of the shop",
         *       "key": "orders",
         *       "overlay": {
         *         "overlay": "1.0.0",
         *         "actions": [
         *           {
         *             "target": "$.paths['/internal']",
         *             "remove": true
         *           }
         *         ]
         *       }
         *     }
         */
        'application/json': components['schemas']['UpdateApiBody'];
      };
    };
    responses: {
      /** @description The API as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApiWithReport'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Apis_adopt: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The API, by its id or its key. */
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "flows": [
         *         "06dqx3v8k2m7w0r5t9ya"
         *       ]
         *     }
         */
        'application/json': components['schemas']['AdoptApiBody'];
      };
    };
    responses: {
      /** @description What became of each flow, in their order. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApiAdoption'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Apis_diff: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The API, by its id or its key. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The differences. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApiDiff'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Apis_listOperations: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description Part of the name, the title, the method or the path, in any case. */
        q?: string;
        /** @description Items per page. */
        size?: number;
        /** @description A tag of the document. */
        tag?: string;
      };
      header?: never;
      path: {
        /** @description The API, by its id or its key. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of operations, without their schemas. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApiOperationPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Apis_readOperation: {
    parameters: {
      query?: {
        /** @description Digest of one that is not current any more, to which layers may be pinned. Default: the current one. */
        digest?: string;
      };
      header?: never;
      path: {
        /** @description The API, by its id or its key. */
        id: string;
        /** @description The name of the operation. */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The operation. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApiOperation'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Apis_refresh: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The API, by its id or its key. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "dryRun": true
         *     }
         */
        'application/json': components['schemas']['RefreshApiBody'];
      };
    };
    responses: {
      /** @description The API, importing. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApiWithReport'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  ApprovalLinks_decide: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "token": "v1.MDZkcXgzdjhrMm03",
         *       "decision": "approve",
         *       "comment": "Within the budget."
         *     }
         */
        'application/json': components['schemas']['DecideByLinkBody'];
      };
    };
    responses: {
      /** @description Where the approval stands now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApprovalLink'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  ApprovalLinks_read: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "token": "v1.MDZkcXgzdjhrMm03"
         *     }
         */
        'application/json': components['schemas']['ApprovalLinkBody'];
      };
    };
    responses: {
      /** @description Where the approval stands; what is asked, for who may decide it. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApprovalLink'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  ApprovalInbox_list: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description Only those that the caller may decide. */
        mine?: 'true';
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description Items per page. */
        size?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of open approvals, of flows that the caller may read. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OpenApprovalPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Audit_list: {
    parameters: {
      query?: {
        /** @description Entries of this action. */
        action?:
          | 'flow_created'
          | 'flow_updated'
          | 'flow_deleted'
          | 'flow_restored'
          | 'flow_erased'
          | 'flow_version_restored'
          | 'flow_published'
          | 'flow_imported'
          | 'flow_instantiated'
          | 'test_case_created'
          | 'test_case_updated'
          | 'test_case_deleted'
          | 'sample_kept'
          | 'sample_removed'
          | 'layer_tried'
          | 'schedule_created'
          | 'schedule_updated'
          | 'schedule_deleted'
          | 'trigger_created'
          | 'trigger_updated'
          | 'trigger_rotated'
          | 'trigger_listened'
          | 'trigger_deleted'
          | 'layer_created'
          | 'layer_updated'
          | 'layer_deleted'
          | 'layers_reordered'
          | 'play_held'
          | 'play_released'
          | 'play_cancelled'
          | 'play_resumed'
          | 'approval_decided'
          | 'agent_tool_called'
          | 'play_deleted'
          | 'bulk_started'
          | 'bulk_aborted'
          | 'login_succeeded'
          | 'login_failed'
          | 'logout'
          | 'session_ended'
          | 'company_switched'
          | 'password_changed'
          | 'api_key_created'
          | 'api_key_revoked'
          | 'oauth_provider_created'
          | 'oauth_provider_updated'
          | 'oauth_provider_deleted'
          | 'external_identity_linked'
          | 'external_identity_unlinked'
          | 'company_assigned'
          | 'integration_created'
          | 'integration_updated'
          | 'integration_deleted'
          | 'api_created'
          | 'api_updated'
          | 'api_refreshed'
          | 'api_deleted'
          | 'mcp_server_created'
          | 'mcp_server_updated'
          | 'mcp_server_refreshed'
          | 'mcp_server_deleted'
          | 'destination_updated'
          | 'destination_paused'
          | 'destination_released'
          | 'lane_skipped'
          | 'flow_group_created'
          | 'flow_group_updated'
          | 'flow_group_deleted'
          | 'grant_created'
          | 'grant_updated'
          | 'grant_deleted'
          | 'user_created'
          | 'user_updated'
          | 'user_deactivated'
          | 'user_reactivated'
          | 'user_removed'
          | 'role_changed'
          | 'password_reset'
          | 'company_created'
          | 'company_updated'
          | 'company_export_requested'
          | 'company_exported'
          | 'company_import_requested'
          | 'company_imported'
          | 'company_erasure_requested'
          | 'company_erased'
          | 'group_created'
          | 'group_updated'
          | 'group_deleted'
          | 'group_member_added'
          | 'group_member_removed'
          | 'kv_entry_set'
          | 'kv_entry_deleted'
          | 'config_changed'
          | 'audit_exported'
          | 'job_requested'
          | 'migration_run'
          | 'policy_created'
          | 'policy_updated'
          | 'policy_deleted'
          | 'retention_cleanup_run'
          | 'webhook_created'
          | 'webhook_updated'
          | 'webhook_deleted'
          | 'webhook_rotated'
          | 'webhook_disabled'
          | 'webhook_replayed'
          | 'schedule_missed'
          | 'failure_not_handled';
        /** @description What this user did, by id or e-mail address; addresses are forgotten after 30 days. */
        actor?: string;
        /** @description `nextCursor` of the page before. */
        cursor?: string;
        /** @description Written at this time or later. */
        from?: string;
        /** @description True: instead of the company’s log that of what belongs to no company, such as sign-ins of unknown accounts; for operators. */
        installation?: boolean;
        /** @description Entries per page. */
        limit?: number;
        /** @description About the thing with this id. */
        resource_id?: string;
        /** @description About things of this kind, for example `flow`. */
        resource_type?: string;
        /** @description Written before this time. */
        to?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of audit entries. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AuditEntryPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Audit_export: {
    parameters: {
      query?: {
        /** @description Entries of this action. */
        action?:
          | 'flow_created'
          | 'flow_updated'
          | 'flow_deleted'
          | 'flow_restored'
          | 'flow_erased'
          | 'flow_version_restored'
          | 'flow_published'
          | 'flow_imported'
          | 'flow_instantiated'
          | 'test_case_created'
          | 'test_case_updated'
          | 'test_case_deleted'
          | 'sample_kept'
          | 'sample_removed'
          | 'layer_tried'
          | 'schedule_created'
          | 'schedule_updated'
          | 'schedule_deleted'
          | 'trigger_created'
          | 'trigger_updated'
          | 'trigger_rotated'
          | 'trigger_listened'
          | 'trigger_deleted'
          | 'layer_created'
          | 'layer_updated'
          | 'layer_deleted'
          | 'layers_reordered'
          | 'play_held'
          | 'play_released'
          | 'play_cancelled'
          | 'play_resumed'
          | 'approval_decided'
          | 'agent_tool_called'
          | 'play_deleted'
          | 'bulk_started'
          | 'bulk_aborted'
          | 'login_succeeded'
          | 'login_failed'
          | 'logout'
          | 'session_ended'
          | 'company_switched'
          | 'password_changed'
          | 'api_key_created'
          | 'api_key_revoked'
          | 'oauth_provider_created'
          | 'oauth_provider_updated'
          | 'oauth_provider_deleted'
          | 'external_identity_linked'
          | 'external_identity_unlinked'
          | 'company_assigned'
          | 'integration_created'
          | 'integration_updated'
          | 'integration_deleted'
          | 'api_created'
          | 'api_updated'
          | 'api_refreshed'
          | 'api_deleted'
          | 'mcp_server_created'
          | 'mcp_server_updated'
          | 'mcp_server_refreshed'
          | 'mcp_server_deleted'
          | 'destination_updated'
          | 'destination_paused'
          | 'destination_released'
          | 'lane_skipped'
          | 'flow_group_created'
          | 'flow_group_updated'
          | 'flow_group_deleted'
          | 'grant_created'
          | 'grant_updated'
          | 'grant_deleted'
          | 'user_created'
          | 'user_updated'
          | 'user_deactivated'
          | 'user_reactivated'
          | 'user_removed'
          | 'role_changed'
          | 'password_reset'
          | 'company_created'
          | 'company_updated'
          | 'company_export_requested'
          | 'company_exported'
          | 'company_import_requested'
          | 'company_imported'
          | 'company_erasure_requested'
          | 'company_erased'
          | 'group_created'
          | 'group_updated'
          | 'group_deleted'
          | 'group_member_added'
          | 'group_member_removed'
          | 'kv_entry_set'
          | 'kv_entry_deleted'
          | 'config_changed'
          | 'audit_exported'
          | 'job_requested'
          | 'migration_run'
          | 'policy_created'
          | 'policy_updated'
          | 'policy_deleted'
          | 'retention_cleanup_run'
          | 'webhook_created'
          | 'webhook_updated'
          | 'webhook_deleted'
          | 'webhook_rotated'
          | 'webhook_disabled'
          | 'webhook_replayed'
          | 'schedule_missed'
          | 'failure_not_handled';
        /** @description What this user did, by id or e-mail address; addresses are forgotten after 30 days. */
        actor?: string;
        /** @description What the file is: csv unless told. */
        format?: 'csv' | 'json' | 'ndjson';
        /** @description Written at this time or later. */
        from?: string;
        /** @description True: instead of the company’s log that of what belongs to no company, such as sign-ins of unknown accounts; for operators. */
        installation?: boolean;
        /** @description About the thing with this id. */
        resource_id?: string;
        /** @description About things of this kind, for example `flow`. */
        resource_type?: string;
        /** @description Written before this time. */
        to?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The entries up to now, streamed. The export stands in the log itself. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AuditEntry'][];
          'application/x-ndjson': string;
          'text/csv': string;
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Audit_verify: {
    parameters: {
      query?: {
        /** @description True: instead of the company’s log that of what belongs to no company, such as sign-ins of unknown accounts; for operators. */
        installation?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Whether all entries are there as they were written. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            checked: number;
            /** @description The entry that was changed, added or is missing; `seal:<n>` or `chain` when it is not an entry. */
            first_bad: string | null;
            ok: boolean;
          };
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  ApiKeys_create_auth: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "name": "Order intake",
         *       "scope": "api:read"
         *     }
         */
        'application/json': components['schemas']['CreateApiKeyBody'];
      };
    };
    responses: {
      /** @description The key with its token. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NewApiKey'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Identities_list: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description Items per page. */
        size?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of accounts. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ExternalIdentityPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Identities_read: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The tied account. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The account. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ExternalIdentity'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Identities_untie: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The tied account. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It opens your account no more. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Auth_login: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "username": "ada@example.org",
         *       "password": "correct horse battery"
         *     }
         */
        'application/json': components['schemas']['LoginBody'];
      };
    };
    responses: {
      /** @description Who signed in, and where. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SignedIn'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Auth_logout: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description There is no session now. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Auth_me: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The user, the company, and what the credential may do. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Me'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Passwords_change: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "current_password": "correct horse battery",
         *       "new_password": "staple gun on thursday"
         *     }
         */
        'application/json': components['schemas']['ChangePasswordBody'];
      };
    };
    responses: {
      /** @description The new password holds. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Passwords_accept: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "token": "mXl2aV9vYWtlbg",
         *       "password": "staple gun on thursday"
         *     }
         */
        'application/json': components['schemas']['AcceptLinkBody'];
      };
    };
    responses: {
      /** @description The password holds: sign in with it. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  OAuthSignIn_list: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Their names, and where each sign-in begins. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProviderChoices'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Sessions_list: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description Items per page. */
        size?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of sessions. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SessionPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Sessions_endAll: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description You are signed out everywhere. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Sessions_read: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The session, by its `ID`. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The session. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Session'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Sessions_end: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The session, by its `ID`. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The session has ended. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Auth_switchCompany: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "company_id": "06dqx3v8k2m7w0r5t9ya"
         *     }
         */
        'application/json': components['schemas']['SwitchCompanyBody'];
      };
    };
    responses: {
      /** @description Who is signed in, and where now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SignedIn'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Bulk_list: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description Items per page. */
        size?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of bulk operations. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BulkPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Bulk_start: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "action": "cancel",
         *       "filter": {
         *         "state": "FAIL",
         *         "from": "2026-11-21T09:00:00Z"
         *       }
         *     }
         */
        'application/json': components['schemas']['StartBulkBody'];
      };
    };
    responses: {
      /** @description Of a dry run: how many plays are matched; none is changed. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BulkMatch'];
        };
      };
      /** @description It runs; `Location` names it. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Bulk'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Bulk_read: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The bulk operation. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The bulk operation. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Bulk'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Bulk_abort: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The bulk operation. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description As it is now; one that had ended is unchanged. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Bulk'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Changes_read: {
    parameters: {
      query?: {
        /** @description `start`, or the cursor of the last line that was read. Without one the answer is the cursor of now. */
        cursor?: string;
        /** @description Changes of these types. Several with commas between them, or in several parameters of this name. */
        types?: ('play_state_change' | 'layer_start' | 'layer_error' | 'layer_complete' | 'play_complete')[];
        /** @description Seconds to wait for a change where there is none. */
        wait?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One JSON object a line: a frame of the play’s own stream with its cursor, or, where nothing is new, a cursor alone. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/x-ndjson': string;
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Companies_list: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description Items per page. */
        size?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of companies. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CompanyPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Companies_create: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "name": "Heron Works"
         *     }
         */
        'application/json': components['schemas']['CreateCompanyBody'];
      };
    };
    responses: {
      /** @description The company. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Company'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Companies_read: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The company. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The company. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Company'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  CompanyJobs_erase: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The company. */
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "confirm": "Heron Works"
         *     }
         */
        'application/json': components['schemas']['EraseCompanyBody'];
      };
    };
    responses: {
      /** @description A scheduler does it; `Location` names it. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CompanyJob'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Companies_change: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The company. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "name": "Heron Works",
         *       "backlog_max": 50000,
         *       "runs_per_second": 50,
         *       "bytes_max": 10000000000,
         *       "worker_label": "acme"
         *     }
         */
        'application/json': components['schemas']['UpdateCompanyBody'];
      };
    };
    responses: {
      /** @description The company as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Company'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  CompanyJobs_export: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The company. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A scheduler does it; `Location` names it. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CompanyJob'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Companies_usage: {
    parameters: {
      query?: {
        /** @description Its day is the first one. Default: 30 days before `to`. */
        from?: string;
        /** @description Its day is not among them, unless it is today. Default: now. */
        to?: string;
      };
      header?: never;
      path: {
        /** @description The company. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What it used. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CompanyUsage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  CompanyJobs_import: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "name": "Heron Works",
         *       "file": "/api/v1/payloads/0123456789abcdef01234567"
         *     }
         */
        'application/json': components['schemas']['ImportCompanyBody'];
      };
    };
    responses: {
      /** @description A scheduler does it; `Location` names it. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CompanyJob'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  CompanyJobs_list: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description Items per page. */
        size?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of jobs. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CompanyJobPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  CompanyJobs_read: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The export, import or erasure. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The job. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CompanyJob'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Destinations_list: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description Items per page. */
        size?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of destinations. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DestinationPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Destinations_read: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Host and port, such as `api.example.com:443`, percent-encoded. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The destination. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Destination'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Destinations_update: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Host and port, such as `api.example.com:443`, percent-encoded. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "rate_limit": {
         *         "limit": 50,
         *         "per": "second"
         *       }
         *     }
         */
        'application/json': components['schemas']['UpdateDestinationBody'];
      };
    };
    responses: {
      /** @description The destination as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Destination'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Destinations_pause: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Host and port, such as `api.example.com:443`, percent-encoded. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The destination as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Destination'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Destinations_release: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Host and port, such as `api.example.com:443`, percent-encoded. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The destination as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Destination'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Events_publish: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "name": "invoice.paid",
         *       "payload": {
         *         "amount": 12.5
         *       }
         *     }
         */
        'application/json': components['schemas']['EventBody'];
      };
    };
    responses: {
      /** @description How many waiting plays of the company took it, and whether it is kept. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EventAnswer'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  FlowGroups_list: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description Items per page. */
        size?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of groups, each with those of its flows that the caller may read. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['FlowGroupPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  FlowGroups_create: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "name": "Order intake"
         *     }
         */
        'application/json': components['schemas']['CreateFlowGroupBody'];
      };
    };
    responses: {
      /** @description The group, without flows. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['FlowGroup'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  FlowGroups_read: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The flow group. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The group, with those of its flows that the caller may read. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['FlowGroup'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  FlowGroups_remove: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The flow group. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  FlowGroups_update: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The flow group. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "name": "Order intake"
         *     }
         */
        'application/json': components['schemas']['UpdateFlowGroupBody'];
      };
    };
    responses: {
      /** @description The group as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['FlowGroup'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Flows_list: {
    parameters: {
      query?: {
        /** @description Exactly this category. */
        category?: string;
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description Only enabled ones, or disabled ones. */
        enabled?: boolean;
        /** @description The deleted flows, for admins. */
        filtered?: boolean;
        /** @description Of this flow group. */
        groupId?: string;
        /** @description Only blueprints, or none. */
        isBlueprint?: boolean;
        /** @description Exactly this key. */
        key?: string;
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description Part of the name, in any case. */
        q?: string;
        /** @description Items per page. */
        size?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of flows, without their layers. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['FlowPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Flows_create: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "when": "{{ $prev.args.urgent }}",
         *       "category": "Orders",
         *       "argsSchema": {
         *         "type": "object",
         *         "properties": {
         *           "order": {
         *             "type": "integer"
         *           }
         *         },
         *         "required": [
         *           "order"
         *         ]
         *       },
         *       "key": "order-intake",
         *       "name": "Order intake"
         *     }
         */
        'application/json': components['schemas']['CreateFlowBody'];
      };
    };
    responses: {
      /** @description The flow. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Flow'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Backtest_backtest: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The flow. */
        flowId: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "document": {
         *         "schema": "weft.flow/1",
         *         "name": "Order intake",
         *         "layers": [
         *           {
         *             "ref": "fetch",
         *             "appId": "web-request",
         *             "args": {
         *               "url": "https://api.example.com/orders"
         *             }
         *           }
         *         ]
         *       }
         *     }
         */
        'application/json': components['schemas']['BacktestBody'];
      };
    };
    responses: {
      /** @description What each play would have done, newest first. Nothing is stored, nothing is sent, at most 30 s. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Backtest'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Blueprints_listVars: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The flow. */
        flowId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Each variable, and the layers that read it. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BlueprintVarList'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Checks_dryRun: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The flow. */
        flowId: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "when": "{{ $prev.args.urgent }}",
         *       "fixtures": {
         *         "fetch": {
         *           "statusCode": 200,
         *           "json": {
         *             "ok": true
         *           }
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['DryRunBody'];
      };
    };
    responses: {
      /** @description What each layer would do. Nothing is stored, nothing is sent, at most 5 s and 16 MB. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DryRun'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Documents_export: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The flow. */
        flowId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The document. `[left out]` stands where a secret or an id of the company was. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['FlowDocument'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Blueprints_instantiate: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The flow. */
        flowId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "name": "Order intake",
         *       "blueprintVars": {
         *         "host": "api.example.com"
         *       }
         *     }
         */
        'application/json': components['schemas']['InstantiateBody'];
      };
    };
    responses: {
      /** @description The new flow, enabled. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Flow'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Layers_list: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The flow. */
        flowId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description All layers. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Layer'][];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Layers_create: {
    parameters: {
      query?: never;
      header?: {
        /** @description The flow's version that is meant. */
        'If-Match'?: string;
      };
      path: {
        /** @description The flow. */
        flowId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "ref": "fetch",
         *       "name": "Fetch the order",
         *       "appId": "web-request",
         *       "args": {
         *         "url": "https://api.example.com/orders/{{ $prev.args.order }}"
         *       },
         *       "when": "{{ $prev.args.urgent }}",
         *       "retry": {
         *         "attempts": 3
         *       },
         *       "forEach": {
         *         "in": "{{ .fetch.json.orders }}"
         *       }
         *     }
         */
        'application/json': components['schemas']['CreateLayerBody'];
      };
    };
    responses: {
      /** @description The layer; `warnings` name references that lead nowhere yet. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Layer'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Layers_read: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The flow. */
        flowId: string;
        /** @description The layer, by its `id` or its `ref`. */
        layerId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The layer. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Layer'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Layers_update: {
    parameters: {
      query?: never;
      header?: {
        /** @description The flow's version that is meant. */
        'If-Match'?: string;
      };
      path: {
        /** @description The flow. */
        flowId: string;
        /** @description The layer, by its `id` or its `ref`. */
        layerId: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "ref": "fetch",
         *       "name": "Fetch the order",
         *       "appId": "web-request",
         *       "when": "{{ $prev.args.urgent }}",
         *       "retry": {
         *         "attempts": 3
         *       },
         *       "forEach": {
         *         "in": "{{ .fetch.json.orders }}"
         *       }
         *     }
         */
        'application/json': components['schemas']['UpdateLayerBody'];
      };
    };
    responses: {
      /** @description The layer as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Layer'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Layers_remove: {
    parameters: {
      query?: never;
      header?: {
        /** @description The flow's version that is meant. */
        'If-Match'?: string;
      };
      path: {
        /** @description The flow. */
        flowId: string;
        /** @description The layer, by its `id` or its `ref`. */
        layerId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Removed. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Layers_patch: {
    parameters: {
      query?: never;
      header?: {
        /** @description The flow's version that is meant. */
        'If-Match'?: string;
      };
      path: {
        /** @description The flow. */
        flowId: string;
        /** @description The layer, by its `id` or its `ref`. */
        layerId: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "ref": "fetch",
         *       "name": "Fetch the order",
         *       "appId": "web-request",
         *       "when": "{{ $prev.args.urgent }}",
         *       "retry": {
         *         "attempts": 3
         *       },
         *       "forEach": {
         *         "in": "{{ .fetch.json.orders }}"
         *       }
         *     }
         */
        'application/json': components['schemas']['UpdateLayerBody'];
      };
    };
    responses: {
      /** @description The layer as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Layer'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Layers_reorder: {
    parameters: {
      query?: never;
      header?: {
        /** @description The flow's version that is meant. */
        'If-Match'?: string;
      };
      path: {
        /** @description The flow. */
        flowId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "layerIds": [
         *         "06dqx3v8k2m7w0r5t9ya",
         *         "06dqx3v8k2m7w0r5t9yb"
         *       ]
         *     }
         */
        'application/json': components['schemas']['LayerOrderBody'];
      };
    };
    responses: {
      /** @description All layers, numbered from 0. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Layer'][];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  LayerTries_try: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The flow. */
        flowId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "layer": {
         *         "ref": "fetch",
         *         "name": "Fetch the order",
         *         "appId": "web-request",
         *         "args": {
         *           "url": "https://api.example.com/orders/{{ $prev.args.order }}"
         *         },
         *         "when": "{{ $prev.args.urgent }}",
         *         "retry": {
         *           "attempts": 3
         *         },
         *         "forEach": {
         *           "in": "{{ .fetch.json.orders }}"
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['LayerTryBody'];
      };
    };
    responses: {
      /** @description How the call ended. Also needs the right to execute the flow. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LayerTry'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  FlowPlays_list: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description Ended at this time or later. */
        endedFrom?: string;
        /** @description Ended before this time. */
        endedTo?: string;
        /** @description Failed with this `error.code`. */
        errorCode?: string;
        /** @description Accepted at this time or later. */
        from?: string;
        /** @description With this idempotency key. */
        idempotencyKey?: string;
        /** @description With an idempotency key that begins like this, in upper and lower case. */
        idempotencyKeyPrefix?: string;
        /** @description With this label, as `key:value`; of several: with all of them. */
        label?: string[];
        /** @description `true`: failed plays that a later retry has brought to DONE or FILTERED. `false`: all others. */
        mended?: 'true' | 'false';
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description Pausing before a failed layer is called again. */
        retrying?: 'true';
        /** @description Items per page. */
        size?: number;
        /** @description `createdAt`: newest first. `completedAt`: only plays that have ended, the last ended one first. */
        sort?: 'createdAt' | 'completedAt';
        /** @description Plays in these states. Several with commas between them, or in several parameters of this name. */
        state?: ('NEW' | 'RUN' | 'DONE' | 'FAIL' | 'SKIP' | 'FILTERED' | 'DEFERRED' | 'WAIT' | 'ON_HOLD')[];
        /** @description Accepted before this time. */
        to?: string;
        /** @description Started this way. */
        trigger?: 'api' | 'schedule' | 'retry' | 'rerun' | 'flow' | 'hook' | 'mcp';
      };
      header?: never;
      path: {
        /** @description The flow. */
        flowId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of plays, without their arguments. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PlayPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Publication_publish: {
    parameters: {
      query?: never;
      header?: {
        /** @description The last version of the flow, as in ETag. */
        'If-Match'?: string;
      };
      path: {
        /** @description The flow. */
        flowId: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "version": 7
         *     }
         */
        'application/json': components['schemas']['PublishBody'];
      };
    };
    responses: {
      /** @description The flow: its last version, and which one is published. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Flow'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Samples_list: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The flow. */
        flowId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description All samples by ref: at most 100, of 4 MB together. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['Sample'][];
          };
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Samples_read: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The flow. */
        flowId: string;
        /** @description The `ref` of the layer that gives it. */
        ref: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The sample. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Sample'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Samples_put: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The flow. */
        flowId: string;
        /** @description The `ref` of the layer that gives it. */
        ref: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "out": {
         *         "statusCode": 200,
         *         "json": {
         *           "orders": [
         *             {
         *               "id": 7
         *             }
         *           ]
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['PutSampleBody'];
      };
    };
    responses: {
      /** @description The sample. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Sample'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Samples_remove: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The flow. */
        flowId: string;
        /** @description The `ref` of the layer that gives it. */
        ref: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Removed. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  TestCases_list: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description Items per page. */
        size?: number;
      };
      header?: never;
      path: {
        /** @description The flow. */
        flowId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of cases. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TestCasePage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  TestCases_create: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The flow. */
        flowId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "name": "tells that it is ok",
         *       "fixtures": {
         *         "fetch": {
         *           "statusCode": 200,
         *           "json": {
         *             "ok": true
         *           }
         *         }
         *       },
         *       "expected": {
         *         "tell": {
         *           "text": "It is ok."
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['CreateTestCaseBody'];
      };
    };
    responses: {
      /** @description The case. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TestCase'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  TestCases_read: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The test case. */
        caseId: string;
        /** @description The flow. */
        flowId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The case. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TestCase'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  TestCases_remove: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The test case. */
        caseId: string;
        /** @description The flow. */
        flowId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  TestCases_update: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The test case. */
        caseId: string;
        /** @description The flow. */
        flowId: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "name": "tells that it is ok",
         *       "fixtures": {
         *         "fetch": {
         *           "statusCode": 200,
         *           "json": {
         *             "ok": true
         *           }
         *         }
         *       },
         *       "expected": {
         *         "tell": {
         *           "text": "It is ok."
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['UpdateTestCaseBody'];
      };
    };
    responses: {
      /** @description The case as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TestCase'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  TestCases_run: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The flow. */
        flowId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What each case gave, oldest case first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TestRun'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Triggers_list: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description Items per page. */
        size?: number;
      };
      header?: never;
      path: {
        /** @description The flow. */
        flowId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of triggers. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TriggerPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Triggers_create: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The flow. */
        flowId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "name": "orders of the shop",
         *       "verifier": {
         *         "type": "bearer",
         *         "token": "a-secret-of-the-sender"
         *       },
         *       "secret_names": [
         *         "x-customer-number"
         *       ],
         *       "labels": {
         *         "customer": "1042"
         *       }
         *     }
         */
        'application/json': components['schemas']['CreateTriggerBody'];
      };
    };
    responses: {
      /** @description The trigger, with its address this once, if it has one. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MadeTrigger'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Triggers_read: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The flow. */
        flowId: string;
        /** @description The trigger. */
        tid: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The trigger, without its address and secrets. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Trigger'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Triggers_remove: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The flow. */
        flowId: string;
        /** @description The trigger. */
        tid: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Triggers_update: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The flow. */
        flowId: string;
        /** @description The trigger. */
        tid: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "name": "orders of the shop",
         *       "verifier": {
         *         "type": "bearer",
         *         "token": "a-secret-of-the-sender"
         *       },
         *       "secret_names": [
         *         "x-customer-number"
         *       ],
         *       "labels": {
         *         "customer": "1042"
         *       }
         *     }
         */
        'application/json': components['schemas']['UpdateTriggerBody'];
      };
    };
    responses: {
      /** @description The trigger as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Trigger'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Deliveries_list: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description Items per page. */
        size?: number;
      };
      header?: never;
      path: {
        /** @description The flow. */
        flowId: string;
        /** @description The trigger. */
        tid: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of deliveries. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeliveryPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Deliveries_replay: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The delivery. */
        did: string;
        /** @description The flow. */
        flowId: string;
        /** @description The trigger. */
        tid: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The condition is false; or the event is sent. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | {
                /** @enum {boolean} */
                skipped: true;
              }
            | components['schemas']['EventAnswer'];
        };
      };
      /** @description Accepted. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RunAnswer'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Triggers_listen: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The flow. */
        flowId: string;
        /** @description The trigger. */
        tid: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The trigger, which listens for five minutes. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Trigger'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Triggers_rotate: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The flow. */
        flowId: string;
        /** @description The trigger. */
        tid: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The new address. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TriggerAddress'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Checks_validate: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The flow. */
        flowId: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "when": "{{ $prev.args.urgent }}"
         *     }
         */
        'application/json': components['schemas']['DraftFields'];
      };
    };
    responses: {
      /** @description All errors, required test cases that fail included, and all warnings. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['FlowReport'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Versions_list: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description Items per page. */
        size?: number;
      };
      header?: never;
      path: {
        /** @description The flow. */
        flowId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of versions; their flows without layers. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['FlowVersionPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Versions_read: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The flow. */
        flowId: string;
        /** @description The number of the version. */
        version: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The version, with all layers. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['FlowVersion'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Versions_diff: {
    parameters: {
      query?: {
        /** @description The version to compare with, the flow's present one when left out. */
        to?: number;
      };
      header?: never;
      path: {
        /** @description The flow. */
        flowId: string;
        /** @description The number of the version. */
        version: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The changes; paths name layers by ref. A change of order alone is one change at `layers`. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['FlowDiff'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Versions_restore: {
    parameters: {
      query?: never;
      header?: {
        /** @description The flow's present version, as in ETag. */
        'If-Match'?: string;
      };
      path: {
        /** @description The flow. */
        flowId: string;
        /** @description The number of the version. */
        version: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The flow as it is now. Whether it is enabled, restricted, and its group stay as they were. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Flow'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Flows_read: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The flow. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The flow. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Flow'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Flows_update: {
    parameters: {
      query?: never;
      header?: {
        /** @description The version that is meant, as in ETag. */
        'If-Match'?: string;
      };
      path: {
        /** @description The flow. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "when": "{{ $prev.args.urgent }}",
         *       "category": "Orders",
         *       "argsSchema": {
         *         "type": "object",
         *         "properties": {
         *           "order": {
         *             "type": "integer"
         *           }
         *         },
         *         "required": [
         *           "order"
         *         ]
         *       },
         *       "key": "order-intake",
         *       "name": "Order intake",
         *       "blueprintVars": {
         *         "host": "api.example.com"
         *       }
         *     }
         */
        'application/json': components['schemas']['UpdateFlowBody'];
      };
    };
    responses: {
      /** @description The flow as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Flow'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Flows_remove: {
    parameters: {
      query?: never;
      header?: {
        /** @description The version that is meant, as in ETag. */
        'If-Match'?: string;
      };
      path: {
        /** @description The flow. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Flows_patch: {
    parameters: {
      query?: never;
      header?: {
        /** @description The version that is meant, as in ETag. */
        'If-Match'?: string;
      };
      path: {
        /** @description The flow. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "when": "{{ $prev.args.urgent }}",
         *       "category": "Orders",
         *       "argsSchema": {
         *         "type": "object",
         *         "properties": {
         *           "order": {
         *             "type": "integer"
         *           }
         *         },
         *         "required": [
         *           "order"
         *         ]
         *       },
         *       "key": "order-intake",
         *       "name": "Order intake",
         *       "blueprintVars": {
         *         "host": "api.example.com"
         *       }
         *     }
         */
        'application/json': components['schemas']['UpdateFlowBody'];
      };
    };
    responses: {
      /** @description The flow as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Flow'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  PutDocuments_put: {
    parameters: {
      query?: never;
      header?: {
        /** @description The document that is meant, by the ETag of its export, which covers the test cases; or a version of the flow, with any test cases. */
        'If-Match'?: string;
      };
      path: {
        /** @description The flow. */
        id: string;
      };
      cookie?: never;
    };
    /** @description The document. As for an import, it may also be sent as `{ "document": … }`; with `"dryRun": true` next to it nothing is stored, and the answer is the flow as it would be, or the refusal. */
    requestBody: {
      content: {
        /**
         * @example {
         *       "schema": "weft.flow/1",
         *       "name": "Order intake",
         *       "layers": [
         *         {
         *           "ref": "fetch",
         *           "appId": "web-request",
         *           "args": {
         *             "url": "https://api.example.com/orders"
         *           }
         *         }
         *       ]
         *     }
         */
        'application/json': components['schemas']['FlowDocument'];
      };
    };
    responses: {
      /** @description The flow as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Flow'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Flows_restore: {
    parameters: {
      query?: never;
      header?: {
        /** @description The version that is meant, as in ETag. */
        'If-Match'?: string;
      };
      path: {
        /** @description The flow. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The flow as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Flow'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Run_run: {
    parameters: {
      query?: never;
      header?: {
        /** @description The same as `idempotencyKey` in the body; both and different is refused. */
        'Idempotency-Key'?: string;
        /** @description true: when the play that holds the key has other args, the run is refused (409 `idempotency_mismatch`). */
        'Idempotency-Strict'?: 'true' | 'false';
      };
      path: {
        /** @description The flow. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "args": {
         *         "order": 1042
         *       },
         *       "idempotencyKey": "order-1042",
         *       "labels": {
         *         "customer": "1042"
         *       },
         *       "lane": "customer-42"
         *     }
         */
        'application/json': components['schemas']['RunBody'];
      };
    };
    responses: {
      /** @description With `wait`: the play has ended. Or: another play holds the key, this one. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EndedRunAnswer'];
        };
      };
      /** @description Accepted; `Location` names the play. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RunAnswer'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Run_runBatch: {
    parameters: {
      query?: never;
      header?: {
        /** @description true: when the play that holds the key has other args, the run is refused (409 `idempotency_mismatch`). */
        'Idempotency-Strict'?: 'true' | 'false';
      };
      path: {
        /** @description The flow. */
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "runs": [
         *         {
         *           "args": {
         *             "order": 1042
         *           },
         *           "idempotencyKey": "order-1042",
         *           "labels": {
         *             "customer": "1042"
         *           },
         *           "lane": "customer-42"
         *         }
         *       ]
         *     }
         */
        'application/json': components['schemas']['RunBatchBody'];
      };
    };
    responses: {
      /** @description One item for each run, in order. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RunBatchAnswer'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  PutDocuments_putByKey: {
    parameters: {
      query?: never;
      header?: {
        /** @description The document that is meant, by the ETag of its export, which covers the test cases; or a version of the flow, with any test cases. */
        'If-Match'?: string;
      };
      path: {
        /** @description The `key` of the flow. */
        key: string;
      };
      cookie?: never;
    };
    /** @description The document. As for an import, it may also be sent as `{ "document": … }`; with `"dryRun": true` next to it nothing is stored, and the answer is the flow as it would be, or the refusal. */
    requestBody: {
      content: {
        /**
         * @example {
         *       "schema": "weft.flow/1",
         *       "name": "Order intake",
         *       "layers": [
         *         {
         *           "ref": "fetch",
         *           "appId": "web-request",
         *           "args": {
         *             "url": "https://api.example.com/orders"
         *           }
         *         }
         *       ]
         *     }
         */
        'application/json': components['schemas']['FlowDocument'];
      };
    };
    responses: {
      /** @description The flow as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Flow'];
        };
      };
      /** @description The new flow, disabled. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Flow'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Documents_import: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "document": {
         *         "schema": "weft.flow/1",
         *         "name": "Order intake",
         *         "layers": [
         *           {
         *             "ref": "fetch",
         *             "appId": "web-request",
         *             "args": {
         *               "url": "https://api.example.com/orders"
         *             }
         *           }
         *         ]
         *       }
         *     }
         */
        'application/json': components['schemas']['ImportFlowBody'];
      };
    };
    responses: {
      /** @description The flow as it would be, of a dry run. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Flow'];
        };
      };
      /** @description The new flow, disabled. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Flow'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Groups_list: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description Items per page. */
        size?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of groups. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GroupPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Groups_create: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "name": "Night shift"
         *     }
         */
        'application/json': components['schemas']['CreateGroupBody'];
      };
    };
    responses: {
      /** @description The group. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Group'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Groups_read: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The group. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The group with its members. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Group'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Groups_remove: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The group. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Groups_rename: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The group. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "name": "Night shift"
         *     }
         */
        'application/json': components['schemas']['UpdateGroupBody'];
      };
    };
    responses: {
      /** @description The group as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Group'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Groups_addMember: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The group. */
        id: string;
        /** @description The user. */
        user_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The user is in the group. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Groups_removeMember: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The group. */
        id: string;
        /** @description The user. */
        user_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The user is not in the group. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Integrations_list: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description Exactly this key. */
        key?: string;
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description Items per page. */
        size?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of links, without their tokens. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['IntegrationPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Integrations_create: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "endpoint": "smtps://mail.example.com:465",
         *       "access_token": "mailer:secret",
         *       "rate_limit": {
         *         "limit": 50,
         *         "per": "second"
         *       },
         *       "key": "support-mail",
         *       "type": "smtp",
         *       "name": "Mail of the support team"
         *     }
         */
        'application/json': components['schemas']['CreateIntegrationBody'];
      };
    };
    responses: {
      /** @description The link, without its tokens. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Integration'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Integrations_read: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The integration link. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The link, without its tokens. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Integration'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Integrations_remove: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The integration link. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Integrations_update: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The integration link. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "endpoint": "smtps://mail.example.com:465",
         *       "access_token": "mailer:secret",
         *       "rate_limit": {
         *         "limit": 50,
         *         "per": "second"
         *       },
         *       "key": "support-mail",
         *       "name": "Mail of the support team"
         *     }
         */
        'application/json': components['schemas']['UpdateIntegrationBody'];
      };
    };
    responses: {
      /** @description The link as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Integration'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Integrations_test: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The integration link. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Whether it does, and what was looked at. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['IntegrationTest'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Integrations_connect: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "provider": "06dqx3v8k2m7w0r5t9ya"
         *     }
         */
        'application/json': components['schemas']['ConnectBody'];
      };
    };
    responses: {
      /** @description Where to send the browser; it must keep the cookie of this answer. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['IntegrationConnect'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Kv_list: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description Only keys that begin with this text. */
        prefix?: string;
        /** @description Items per page. */
        size?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of entries. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['KvEntryPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Kv_read: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The key of the entry, percent-encoded. */
        key: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The entry. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['KvEntry'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Kv_set: {
    parameters: {
      query?: never;
      header?: {
        /** @description The version of the entry that is meant, as in ETag; `*`: any, but there must be one. */
        'If-Match'?: string;
        /** @description `*`: only if there is no entry with this key. */
        'If-None-Match'?: '*';
      };
      path: {
        /** @description The key of the entry, percent-encoded. */
        key: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "value": 42
         *     }
         */
        'application/json': components['schemas']['SetKvBody'];
      };
    };
    responses: {
      /** @description The entry as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['KvEntry'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Kv_remove: {
    parameters: {
      query?: never;
      header?: {
        /** @description The version of the entry that is meant, as in ETag; `*`: any, but there must be one. */
        'If-Match'?: string;
      };
      path: {
        /** @description The key of the entry, percent-encoded. */
        key: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Lanes_read: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The lane, percent-encoded. */
        lane: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The lane; one of which no play is open is idle. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Lane'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Lanes_skip: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The lane, percent-encoded. */
        lane: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "playId": "06dqx3v8k2m7w0r5t9ya"
         *     }
         */
        'application/json': components['schemas']['SkipLaneBody'];
      };
    };
    responses: {
      /** @description The lane as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Lane'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  McpServers_list: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description Items per page. */
        size?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of servers. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['McpServerPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  McpServers_create: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "name": "Wiki",
         *       "key": "wiki",
         *       "url": "https://mcp.example.com/mcp"
         *     }
         */
        'application/json': components['schemas']['CreateMcpServerBody'];
      };
    };
    responses: {
      /** @description The server, importing: read it until its state is another one. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['McpServer'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  McpServers_read: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The MCP server, by its id or its key. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The server. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['McpServerWithReport'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  McpServers_remove: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The MCP server, by its id or its key. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  McpServers_update: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The MCP server, by its id or its key. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "name": "Wiki",
         *       "key": "wiki"
         *     }
         */
        'application/json': components['schemas']['UpdateMcpServerBody'];
      };
    };
    responses: {
      /** @description The server as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['McpServerWithReport'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  McpServers_adopt: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The MCP server, by its id or its key. */
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "flows": [
         *         "06dqx3v8k2m7w0r5t9ya"
         *       ]
         *     }
         */
        'application/json': components['schemas']['AdoptApiBody'];
      };
    };
    responses: {
      /** @description What became of each flow, in their order. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApiAdoption'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  McpServers_authorize: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The MCP server, by its id or its key. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "client_id": "weft-at-the-wiki"
         *     }
         */
        'application/json': components['schemas']['AuthorizeMcpServerBody'];
      };
    };
    responses: {
      /** @description The link: somebody consents by POST /integrations/connect. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['McpServerAuthorization'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  McpServers_diff: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The MCP server, by its id or its key. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The differences; `operation` is the name of a tool. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApiDiff'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  McpServers_refresh: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The MCP server, by its id or its key. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "dryRun": true,
         *       "url": "https://mcp.example.com/mcp"
         *     }
         */
        'application/json': components['schemas']['RefreshMcpServerBody'];
      };
    };
    responses: {
      /** @description The server, importing. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['McpServerWithReport'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  McpServers_listTools: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description Part of the name, the title, the method or the path, in any case. */
        q?: string;
        /** @description Items per page. */
        size?: number;
        /** @description A tag of the document. */
        tag?: string;
      };
      header?: never;
      path: {
        /** @description The MCP server, by its id or its key. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of tools, without their schemas. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['McpToolPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  McpServers_readTool: {
    parameters: {
      query?: {
        /** @description Digest of one that is not current any more, to which layers may be pinned. Default: the current one. */
        digest?: string;
      };
      header?: never;
      path: {
        /** @description The MCP server, by its id or its key. */
        id: string;
        /** @description The name of the tool. */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The tool. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['McpTool'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Modules_list: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description All modules. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModuleList'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Modules_read: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The module, for example `web-request`. */
        appId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The module. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Module'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Modules_face: {
    parameters: {
      query: {
        /** @description What the arguments name. Of the module operation: <api>/<operation>, of mcp-tool: <server>/<tool>, with @<digest> for the state that a layer is pinned to. */
        key: string;
      };
      header?: never;
      path: {
        /** @description The module, for example `web-request`. */
        appId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The face. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Face'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Payloads_upload: {
    parameters: {
      query?: {
        /** @description The name of the file, for peers that get it and for who downloads it. */
        filename?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** @description The file: up to 64 MB as it is, of any `Content-Type`; or a form with this one part. */
    requestBody?: {
      content: {
        'application/octet-stream': string;
        'multipart/form-data': {
          /** Format: binary */
          file: string;
        };
      };
    };
    responses: {
      /** @description Stored. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Upload'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Payloads_download: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The file: the last part of its `$ref`. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The bytes, streamed, to be saved. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/octet-stream': string;
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Plays_list: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description Ended at this time or later. */
        endedFrom?: string;
        /** @description Ended before this time. */
        endedTo?: string;
        /** @description Failed with this `error.code`. */
        errorCode?: string;
        /** @description Of this flow. */
        flowId?: string;
        /** @description Accepted at this time or later. */
        from?: string;
        /** @description With this idempotency key. */
        idempotencyKey?: string;
        /** @description With an idempotency key that begins like this, in upper and lower case. */
        idempotencyKeyPrefix?: string;
        /** @description With this label, as `key:value`; of several: with all of them. */
        label?: string[];
        /** @description `true`: failed plays that a later retry has brought to DONE or FILTERED. `false`: all others. */
        mended?: 'true' | 'false';
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description Pausing before a failed layer is called again. */
        retrying?: 'true';
        /** @description Items per page. */
        size?: number;
        /** @description `createdAt`: newest first. `completedAt`: only plays that have ended, the last ended one first. */
        sort?: 'createdAt' | 'completedAt';
        /** @description Plays in these states. Several with commas between them, or in several parameters of this name. */
        state?: ('NEW' | 'RUN' | 'DONE' | 'FAIL' | 'SKIP' | 'FILTERED' | 'DEFERRED' | 'WAIT' | 'ON_HOLD')[];
        /** @description Accepted before this time. */
        to?: string;
        /** @description Started this way. */
        trigger?: 'api' | 'schedule' | 'retry' | 'rerun' | 'flow' | 'hook' | 'mcp';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of plays, without their arguments. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PlayPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Run_runFlow: {
    parameters: {
      query?: never;
      header?: {
        /** @description The same as `idempotencyKey` in the body; both and different is refused. */
        'Idempotency-Key'?: string;
        /** @description true: when the play that holds the key has other args, the run is refused (409 `idempotency_mismatch`). */
        'Idempotency-Strict'?: 'true' | 'false';
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "args": {
         *         "order": 1042
         *       },
         *       "idempotencyKey": "order-1042",
         *       "labels": {
         *         "customer": "1042"
         *       },
         *       "lane": "customer-42",
         *       "flowId": "06dqx3v8k2m7w0r5t9ya"
         *     }
         */
        'application/json': components['schemas']['RunPlayBody'];
      };
    };
    responses: {
      /** @description With `wait`: the play has ended. Or: another play holds the key, this one. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EndedRunAnswer'];
        };
      };
      /** @description Accepted; `Location` names the play. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RunAnswer'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Plays_read: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The play. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The play. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Play'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Plays_erase: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The play. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Erased; outputs that a retry took over stay with that play. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Approvals_list: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The play. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Those that are open; the link for who may decide it. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OpenApprovals'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Approvals_decide: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The play. */
        id: string;
        /** @description The `ref` of the layer that waits. */
        ref: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "decision": "approve",
         *       "comment": "Within the budget."
         *     }
         */
        'application/json': components['schemas']['DecideBody'];
      };
    };
    responses: {
      /** @description The play as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Play'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  PlayCommands_cancel: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The play. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "reason": "wrong file"
         *     }
         */
        'application/json': components['schemas']['CancelBody'];
      };
    };
    responses: {
      /** @description The play as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Play'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Plays_readEvents: {
    parameters: {
      query?: {
        /** @description Begin with the frame of this number. */
        fromSeq?: number;
      };
      header?: never;
      path: {
        /** @description The play. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The numbered frames, in order, streamed. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PlayFrame'][];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  PlayCommands_hold: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The play. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The play as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Play'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Plays_readLayers: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The play. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Every layer of the version that ran, in order; one not reached is NEW. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PlayLayer'][];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Plays_readInput: {
    parameters: {
      query?: {
        /** @description Which item, page or round of a loop, from 0. Left out: the one that failed, else the first. */
        item?: number;
      };
      header?: never;
      path: {
        /** @description The play. */
        id: string;
        /** @description The layer, by its `ref`. */
        ref: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The arguments, computed anew from what is stored. Nothing is called. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LayerInput'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Plays_readItems: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description Only those that ended well (`true`), or that failed (`false`). */
        ok?: 'true' | 'false';
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description Items per page. */
        size?: number;
      };
      header?: never;
      path: {
        /** @description The play. */
        id: string;
        /** @description The layer, by its `ref`. */
        ref: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of items: how each ended, with its output or its error. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LoopItemPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Plays_readOutput: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The play. */
        id: string;
        /** @description The layer, by its `ref`. */
        ref: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The output as JSON, streamed. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': unknown;
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  PlayCommands_release: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The play. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The play as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Play'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  PlayRetries_rerun: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The play. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "args": {
         *         "order": 1042
         *       }
         *     }
         */
        'application/json': components['schemas']['RerunBody'];
      };
    };
    responses: {
      /** @description Accepted; `Location` names the new play. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RepeatAnswer'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  PlayCommands_resume: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The play. */
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "ref": "wait",
         *       "payload": {
         *         "paid": true
         *       }
         *     }
         */
        'application/json': components['schemas']['ResumeBody'];
      };
    };
    responses: {
      /** @description The play as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Play'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  PlayRetries_retry: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The play. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Accepted; `Location` names the new play. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RepeatAnswer'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Plays_readWaiting: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The play. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The reason; `reason` is null when the play waits for nothing. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PlayWaiting'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  PlayRetries_changeMany: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "action": "cancel",
         *       "filter": {
         *         "state": "FAIL",
         *         "from": "2026-11-21T09:00:00Z"
         *       }
         *     }
         */
        'application/json': components['schemas']['BulkBody'];
      };
    };
    responses: {
      /** @description Of a dry run: how many plays are matched; none was changed. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BulkAnswer'];
        };
      };
      /** @description What became of them. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BulkAnswer'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Plays_count: {
    parameters: {
      query?: {
        /** @description Ended at this time or later. */
        endedFrom?: string;
        /** @description Ended before this time. */
        endedTo?: string;
        /** @description Failed with this `error.code`. */
        errorCode?: string;
        /** @description Of this flow. */
        flowId?: string;
        /** @description Accepted at this time or later. */
        from?: string;
        /** @description With this idempotency key. */
        idempotencyKey?: string;
        /** @description With an idempotency key that begins like this, in upper and lower case. */
        idempotencyKeyPrefix?: string;
        /** @description With this label, as `key:value`; of several: with all of them. */
        label?: string[];
        /** @description `true`: failed plays that a later retry has brought to DONE or FILTERED. `false`: all others. */
        mended?: 'true' | 'false';
        /** @description Pausing before a failed layer is called again. */
        retrying?: 'true';
        /** @description Plays in these states. Several with commas between them, or in several parameters of this name. */
        state?: ('NEW' | 'RUN' | 'DONE' | 'FAIL' | 'SKIP' | 'FILTERED' | 'DEFERRED' | 'WAIT' | 'ON_HOLD')[];
        /** @description Accepted before this time. */
        to?: string;
        /** @description Started this way. */
        trigger?: 'api' | 'schedule' | 'retry' | 'rerun' | 'flow' | 'hook' | 'mcp';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description How many plays are in each state, each counted up to 10,000. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PlayCounts'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Scheduler_list: {
    parameters: {
      query?: {
        /** @description Only schedules of this flow. */
        flow_id?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description All of them: this list has no pages. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ScheduledJobs'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Scheduler_create: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "flow_id": "06dqx3v8k2m7w0r5t9ya",
         *       "schedule": "30 6 * * 1-5",
         *       "timezone": "Europe/Berlin",
         *       "labels": {
         *         "customer": "1042"
         *       },
         *       "missed_window": "12m"
         *     }
         */
        'application/json': components['schemas']['CreateScheduleBody'];
      };
    };
    responses: {
      /** @description The schedule. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ScheduledJob'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Scheduler_read: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The schedule. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The schedule. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ScheduledJob'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Scheduler_remove: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The schedule. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Scheduler_update: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The schedule. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "flow_id": "06dqx3v8k2m7w0r5t9ya",
         *       "schedule": "30 6 * * 1-5",
         *       "timezone": "Europe/Berlin",
         *       "labels": {
         *         "customer": "1042"
         *       },
         *       "missed_window": "12m"
         *     }
         */
        'application/json': components['schemas']['UpdateScheduleBody'];
      };
    };
    responses: {
      /** @description The schedule as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ScheduledJob'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Scheduler_run: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The schedule. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Accepted. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RunAnswer'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Scheduler_preview: {
    parameters: {
      query: {
        /** @description Five cron fields. */
        schedule: string;
        /** @description IANA name of the zone. Default: UTC. */
        timezone?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description In UTC, the nearest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SchedulePreview'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Users_list: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description Part of the address or the name, in any case. */
        q?: string;
        /** @description Only with this role in the company. */
        role?:
          | 'admin'
          | 'flow_editor'
          | 'flow_executor'
          | 'viewer'
          | 'audit_viewer'
          | 'integration_manager'
          | 'analytics_viewer'
          | 'none';
        /** @description Items per page. */
        size?: number;
        /** @description Only in this state. */
        state?: 'active' | 'invited' | 'deactivated';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of users. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['UserPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Users_create: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "email": "ada@example.org",
         *       "name": "Ada"
         *     }
         */
        'application/json': components['schemas']['CreateUserBody'];
      };
    };
    responses: {
      /** @description The user, with the invitation link where no password was given. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NewUser'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Users_read: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The user. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The user. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['User'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Users_remove: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The user. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The user has no place in the company any more. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Users_change: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The user. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "name": "Ada"
         *     }
         */
        'application/json': components['schemas']['UpdateUserBody'];
      };
    };
    responses: {
      /** @description The user as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['User'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Users_activity: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description Items per page. */
        size?: number;
      };
      header?: never;
      path: {
        /** @description The user. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of audit entries. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AuditEntryPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Users_resetPassword: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The user. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "revoke_api_keys": true
         *     }
         */
        'application/json': components['schemas']['ResetPasswordBody'];
      };
    };
    responses: {
      /** @description The link, good once and for 72 hours, and what opens the account besides. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ResetLink'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Webhooks_list: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description Items per page. */
        size?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of endpoints, without their secrets. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Webhooks_create: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "name": "Orders to the warehouse",
         *       "url": "https://hooks.example.com/weft",
         *       "events": [
         *         "play.done",
         *         "play.failed"
         *       ]
         *     }
         */
        'application/json': components['schemas']['CreateWebhookBody'];
      };
    };
    responses: {
      /** @description The endpoint, with what its receiver verifies signatures with. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NewWebhook'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Webhooks_read: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of the webhook. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The endpoint, without its secret. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Webhook'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Webhooks_remove: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of the webhook. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Webhooks_update: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of the webhook. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "name": "Orders to the warehouse",
         *       "url": "https://hooks.example.com/weft",
         *       "events": [
         *         "play.done",
         *         "play.failed"
         *       ]
         *     }
         */
        'application/json': components['schemas']['UpdateWebhookBody'];
      };
    };
    responses: {
      /** @description The endpoint as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Webhook'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  WebhookDeliveries_list: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description Items per page. */
        size?: number;
        /** @description Deliveries in this state. */
        state?: 'pending' | 'delivered' | 'failed' | 'aborted';
      };
      header?: never;
      path: {
        /** @description Id of the webhook. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of deliveries. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookDeliveryPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  WebhookDeliveries_replayOne: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of the delivery, its `webhook-id`. */
        delivery_id: string;
        /** @description Id of the webhook. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The delivery, which is pending. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookDelivery'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  WebhookDeliveries_replayMany: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of the webhook. */
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "since": "2026-11-21T09:00:00Z",
         *       "until": "2026-11-21T10:00:00Z",
         *       "only": "failed"
         *     }
         */
        'application/json': components['schemas']['ReplayBody'];
      };
    };
    responses: {
      /** @description The replay, which is running. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookReplay'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  WebhookDeliveries_listReplays: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before: cheaper than page, and nothing is shown twice while new items arrive. */
        cursor?: string;
        /** @description Page number, from 0. Not together with cursor. */
        page?: number;
        /** @description Items per page. */
        size?: number;
      };
      header?: never;
      path: {
        /** @description Id of the webhook. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of replays. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookReplayPage'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  WebhookDeliveries_readReplay: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of the webhook. */
        id: string;
        /** @description Id of the replay. */
        replay_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The replay. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookReplay'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Webhooks_rotate: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of the webhook. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What the receiver verifies signatures with from now on. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookSecret'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  WebhookDeliveries_test: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of the webhook. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The delivery with its attempt. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookDelivery'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  ApprovalLinks_page: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/html': string;
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  OAuthSignIn_comeBack: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The same, for a browser that another site sent: a page that goes on to returnTo. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/html': string;
        };
      };
      /** @description To returnTo with a session, or to /login?error=<code>. */
      302: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  OAuthSignIn_setOut: {
    parameters: {
      query?: {
        /** @description Ties the account at the provider to the user who is signed in, instead of signing in. */
        link?: boolean;
        /** @description Path on this site to go to in the end; by default /. */
        returnTo?: string;
      };
      header?: never;
      path: {
        /** @description The identity provider, by its id. */
        provider: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description To the provider, with a cookie that the way back needs. */
      302: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Auth_logout_auth: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description There is no session now. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Health_read: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It can. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['HealthReport'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Health_live: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It does. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {string} */
            status: 'ok';
          };
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Health_ready: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It can. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['HealthReport'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Hooks_deliverByGet: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The secret part of the address of the trigger. */
        token: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The play has ended in time, or an earlier delivery has this id; or there is nothing to run: the condition is false, or the sender checks the address. Or what the trigger says in `respond`, with any status. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['EndedRunAnswer']
            | {
                /** @enum {boolean} */
                skipped: true;
              }
            | unknown;
        };
      };
      /** @description Accepted. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RunAnswer'] | components['schemas']['EventAnswer'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Hooks_deliverByPut: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The secret part of the address of the trigger. */
        token: string;
      };
      cookie?: never;
    };
    /** @description Any `Content-Type`, up to `max_bytes` of the trigger. */
    requestBody?: {
      content: {
        'application/octet-stream': string;
      };
    };
    responses: {
      /** @description The play has ended in time, or an earlier delivery has this id; or there is nothing to run: the condition is false, or the sender checks the address. Or what the trigger says in `respond`, with any status. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['EndedRunAnswer']
            | {
                /** @enum {boolean} */
                skipped: true;
              }
            | unknown;
        };
      };
      /** @description Accepted. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RunAnswer'] | components['schemas']['EventAnswer'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Hooks_deliver: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The secret part of the address of the trigger. */
        token: string;
      };
      cookie?: never;
    };
    /** @description Any `Content-Type`, up to `max_bytes` of the trigger. */
    requestBody?: {
      content: {
        'application/octet-stream': string;
      };
    };
    responses: {
      /** @description The play has ended in time, or an earlier delivery has this id; or there is nothing to run: the condition is false, or the sender checks the address. Or what the trigger says in `respond`, with any status. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['EndedRunAnswer']
            | {
                /** @enum {boolean} */
                skipped: true;
              }
            | unknown;
        };
      };
      /** @description Accepted. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RunAnswer'] | components['schemas']['EventAnswer'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  CallBacks_call: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The signed part of the address. */
        token: string;
      };
      cookie?: never;
    };
    /** @description Any `Content-Type`, up to 1 MB. */
    requestBody?: {
      content: {
        'application/octet-stream': string;
      };
    };
    responses: {
      /** @description The play has it. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EventAnswer'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  Metrics_read: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Prometheus text. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/plain': string;
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  ClientDocument_read: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The document; its address is the id of the client. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OAuthClientDocument'];
        };
      };
      /** @description A refusal. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  on_flow_changed: {
    parameters: {
      query?: never;
      header: {
        /** @description The same for each attempt and replay of an event. */
        'webhook-id': string;
        /** @description Signatures of id, timestamp and body, with a space between them: Standard Webhooks 1.0.0. */
        'webhook-signature': string;
        /** @description When the attempt was made, in seconds. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          data:
            | {
                /** @description What the audit log calls the change. */
                action: string;
                flowId: string;
                url: string;
                userId: string | null;
              }
            | {
                /** @constant */
                test: true;
                url: string;
                webhookId: string;
              };
          /**
           * Format: date-time
           * @description When it happened.
           */
          timestamp: string;
          /** @constant */
          type: 'flow.changed';
        };
      };
    };
    responses: {
      /** @description The event is taken. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description No more events, please: the webhook is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The event is sent again by the schedule of the webhook. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  on_play_accepted: {
    parameters: {
      query?: never;
      header: {
        /** @description The same for each attempt and replay of an event. */
        'webhook-id': string;
        /** @description Signatures of id, timestamp and body, with a space between them: Standard Webhooks 1.0.0. */
        'webhook-signature': string;
        /** @description When the attempt was made, in seconds. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          data:
            | {
                /** Format: date-time */
                completedAt: string | null;
                /** @description Milliseconds. */
                duration: number | null;
                error: {
                  code: string;
                  message: string;
                  ref: string | null;
                } | null;
                flowId: string;
                labels: {
                  [key: string]: string;
                };
                /** @description With include_out: the output of the last layer, or a reference to it. */
                out?: unknown;
                playId: string;
                /** @description Number of the frame in the play’s own stream; 0: the play was accepted. */
                seq: number;
                /** Format: date-time */
                startedAt: string | null;
                /** @enum {string} */
                state: 'NEW' | 'RUN' | 'DONE' | 'FAIL' | 'SKIP' | 'FILTERED' | 'DEFERRED' | 'WAIT' | 'ON_HOLD';
                /** @description Where the play can be read. */
                url: string;
              }
            | {
                /** @constant */
                test: true;
                url: string;
                webhookId: string;
              };
          /**
           * Format: date-time
           * @description When it happened.
           */
          timestamp: string;
          /** @constant */
          type: 'play.accepted';
        };
      };
    };
    responses: {
      /** @description The event is taken. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description No more events, please: the webhook is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The event is sent again by the schedule of the webhook. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  on_play_done: {
    parameters: {
      query?: never;
      header: {
        /** @description The same for each attempt and replay of an event. */
        'webhook-id': string;
        /** @description Signatures of id, timestamp and body, with a space between them: Standard Webhooks 1.0.0. */
        'webhook-signature': string;
        /** @description When the attempt was made, in seconds. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          data:
            | {
                /** Format: date-time */
                completedAt: string | null;
                /** @description Milliseconds. */
                duration: number | null;
                error: {
                  code: string;
                  message: string;
                  ref: string | null;
                } | null;
                flowId: string;
                labels: {
                  [key: string]: string;
                };
                /** @description With include_out: the output of the last layer, or a reference to it. */
                out?: unknown;
                playId: string;
                /** @description Number of the frame in the play’s own stream; 0: the play was accepted. */
                seq: number;
                /** Format: date-time */
                startedAt: string | null;
                /** @enum {string} */
                state: 'NEW' | 'RUN' | 'DONE' | 'FAIL' | 'SKIP' | 'FILTERED' | 'DEFERRED' | 'WAIT' | 'ON_HOLD';
                /** @description Where the play can be read. */
                url: string;
              }
            | {
                /** @constant */
                test: true;
                url: string;
                webhookId: string;
              };
          /**
           * Format: date-time
           * @description When it happened.
           */
          timestamp: string;
          /** @constant */
          type: 'play.done';
        };
      };
    };
    responses: {
      /** @description The event is taken. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description No more events, please: the webhook is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The event is sent again by the schedule of the webhook. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  on_play_failed: {
    parameters: {
      query?: never;
      header: {
        /** @description The same for each attempt and replay of an event. */
        'webhook-id': string;
        /** @description Signatures of id, timestamp and body, with a space between them: Standard Webhooks 1.0.0. */
        'webhook-signature': string;
        /** @description When the attempt was made, in seconds. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          data:
            | {
                /** Format: date-time */
                completedAt: string | null;
                /** @description Milliseconds. */
                duration: number | null;
                error: {
                  code: string;
                  message: string;
                  ref: string | null;
                } | null;
                flowId: string;
                labels: {
                  [key: string]: string;
                };
                /** @description With include_out: the output of the last layer, or a reference to it. */
                out?: unknown;
                playId: string;
                /** @description Number of the frame in the play’s own stream; 0: the play was accepted. */
                seq: number;
                /** Format: date-time */
                startedAt: string | null;
                /** @enum {string} */
                state: 'NEW' | 'RUN' | 'DONE' | 'FAIL' | 'SKIP' | 'FILTERED' | 'DEFERRED' | 'WAIT' | 'ON_HOLD';
                /** @description Where the play can be read. */
                url: string;
              }
            | {
                /** @constant */
                test: true;
                url: string;
                webhookId: string;
              };
          /**
           * Format: date-time
           * @description When it happened.
           */
          timestamp: string;
          /** @constant */
          type: 'play.failed';
        };
      };
    };
    responses: {
      /** @description The event is taken. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description No more events, please: the webhook is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The event is sent again by the schedule of the webhook. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  on_play_filtered: {
    parameters: {
      query?: never;
      header: {
        /** @description The same for each attempt and replay of an event. */
        'webhook-id': string;
        /** @description Signatures of id, timestamp and body, with a space between them: Standard Webhooks 1.0.0. */
        'webhook-signature': string;
        /** @description When the attempt was made, in seconds. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          data:
            | {
                /** Format: date-time */
                completedAt: string | null;
                /** @description Milliseconds. */
                duration: number | null;
                error: {
                  code: string;
                  message: string;
                  ref: string | null;
                } | null;
                flowId: string;
                labels: {
                  [key: string]: string;
                };
                /** @description With include_out: the output of the last layer, or a reference to it. */
                out?: unknown;
                playId: string;
                /** @description Number of the frame in the play’s own stream; 0: the play was accepted. */
                seq: number;
                /** Format: date-time */
                startedAt: string | null;
                /** @enum {string} */
                state: 'NEW' | 'RUN' | 'DONE' | 'FAIL' | 'SKIP' | 'FILTERED' | 'DEFERRED' | 'WAIT' | 'ON_HOLD';
                /** @description Where the play can be read. */
                url: string;
              }
            | {
                /** @constant */
                test: true;
                url: string;
                webhookId: string;
              };
          /**
           * Format: date-time
           * @description When it happened.
           */
          timestamp: string;
          /** @constant */
          type: 'play.filtered';
        };
      };
    };
    responses: {
      /** @description The event is taken. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description No more events, please: the webhook is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The event is sent again by the schedule of the webhook. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  on_play_skipped: {
    parameters: {
      query?: never;
      header: {
        /** @description The same for each attempt and replay of an event. */
        'webhook-id': string;
        /** @description Signatures of id, timestamp and body, with a space between them: Standard Webhooks 1.0.0. */
        'webhook-signature': string;
        /** @description When the attempt was made, in seconds. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          data:
            | {
                /** Format: date-time */
                completedAt: string | null;
                /** @description Milliseconds. */
                duration: number | null;
                error: {
                  code: string;
                  message: string;
                  ref: string | null;
                } | null;
                flowId: string;
                labels: {
                  [key: string]: string;
                };
                /** @description With include_out: the output of the last layer, or a reference to it. */
                out?: unknown;
                playId: string;
                /** @description Number of the frame in the play’s own stream; 0: the play was accepted. */
                seq: number;
                /** Format: date-time */
                startedAt: string | null;
                /** @enum {string} */
                state: 'NEW' | 'RUN' | 'DONE' | 'FAIL' | 'SKIP' | 'FILTERED' | 'DEFERRED' | 'WAIT' | 'ON_HOLD';
                /** @description Where the play can be read. */
                url: string;
              }
            | {
                /** @constant */
                test: true;
                url: string;
                webhookId: string;
              };
          /**
           * Format: date-time
           * @description When it happened.
           */
          timestamp: string;
          /** @constant */
          type: 'play.skipped';
        };
      };
    };
    responses: {
      /** @description The event is taken. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description No more events, please: the webhook is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The event is sent again by the schedule of the webhook. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  on_play_waiting: {
    parameters: {
      query?: never;
      header: {
        /** @description The same for each attempt and replay of an event. */
        'webhook-id': string;
        /** @description Signatures of id, timestamp and body, with a space between them: Standard Webhooks 1.0.0. */
        'webhook-signature': string;
        /** @description When the attempt was made, in seconds. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          data:
            | {
                /** Format: date-time */
                completedAt: string | null;
                /** @description Milliseconds. */
                duration: number | null;
                error: {
                  code: string;
                  message: string;
                  ref: string | null;
                } | null;
                flowId: string;
                labels: {
                  [key: string]: string;
                };
                /** @description With include_out: the output of the last layer, or a reference to it. */
                out?: unknown;
                playId: string;
                /** @description Number of the frame in the play’s own stream; 0: the play was accepted. */
                seq: number;
                /** Format: date-time */
                startedAt: string | null;
                /** @enum {string} */
                state: 'NEW' | 'RUN' | 'DONE' | 'FAIL' | 'SKIP' | 'FILTERED' | 'DEFERRED' | 'WAIT' | 'ON_HOLD';
                /** @description Where the play can be read. */
                url: string;
              }
            | {
                /** @constant */
                test: true;
                url: string;
                webhookId: string;
              };
          /**
           * Format: date-time
           * @description When it happened.
           */
          timestamp: string;
          /** @constant */
          type: 'play.waiting';
        };
      };
    };
    responses: {
      /** @description The event is taken. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description No more events, please: the webhook is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The event is sent again by the schedule of the webhook. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  on_schedule_missed: {
    parameters: {
      query?: never;
      header: {
        /** @description The same for each attempt and replay of an event. */
        'webhook-id': string;
        /** @description Signatures of id, timestamp and body, with a space between them: Standard Webhooks 1.0.0. */
        'webhook-signature': string;
        /** @description When the attempt was made, in seconds. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          data:
            | {
                flowId: string;
                missed: {
                  count: number;
                  /** Format: date-time */
                  first: string;
                  /** Format: date-time */
                  last: string;
                };
                scheduleId: string;
                url: string;
              }
            | {
                /** @constant */
                test: true;
                url: string;
                webhookId: string;
              };
          /**
           * Format: date-time
           * @description When it happened.
           */
          timestamp: string;
          /** @constant */
          type: 'schedule.missed';
        };
      };
    };
    responses: {
      /** @description The event is taken. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description No more events, please: the webhook is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The event is sent again by the schedule of the webhook. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  on_webhook_disabled: {
    parameters: {
      query?: never;
      header: {
        /** @description The same for each attempt and replay of an event. */
        'webhook-id': string;
        /** @description Signatures of id, timestamp and body, with a space between them: Standard Webhooks 1.0.0. */
        'webhook-signature': string;
        /** @description When the attempt was made, in seconds. */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          data:
            | {
                reason: string | null;
                url: string;
                webhookId: string;
              }
            | {
                /** @constant */
                test: true;
                url: string;
                webhookId: string;
              };
          /**
           * Format: date-time
           * @description When it happened.
           */
          timestamp: string;
          /** @constant */
          type: 'webhook.disabled';
        };
      };
    };
    responses: {
      /** @description The event is taken. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description No more events, please: the webhook is disabled. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The event is sent again by the schedule of the webhook. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
}
