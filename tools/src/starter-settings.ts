// The settings that `npm start` itself reads, in the form of a service’s `--describe-config`, for docs/configuration.md.

/** Those of a Postgres or NATS server of your own. */
export const databaseSettings = [
  setting(
    'DATABASE_URL',
    'The owner’s address of a Postgres database, used instead of the embedded one. Needs CREATEROLE: each service gets a role and a schema.',
  ),
  setting(
    'DATABASE_OWNER_URL_<SERVICE>',
    'The owner’s address of the database of one service (audience, campaigns, gateway, tracker, webhooks), which may be on a server of its own. The tracker’s moves first, then audience’s.',
    'DATABASE_URL',
  ),
  setting('DATABASE_URL_<SERVICE>', 'A service’s own address; its password is given to the role. Without it the starter makes one.'),
  setting(
    'DATABASE_ROLES',
    '`given`: somebody else makes the roles. Each `DATABASE_URL_<SERVICE>` is then a role’s that owns the schema of its service or may make it, and `DATABASE_URL` is not used.',
    'made',
  ),
  setting('PGPASSFILE', 'A file with passwords in the form of Postgres (mode 0600), read at each connect, for addresses without one.'),
  setting(
    'NATS_URL',
    'A nats-server with JetStream and `max_payload: 4MB`, or a comma list of the servers of a cluster, used instead of the embedded one. `npm run nats-users -- <file>` writes users for it.',
  ),
  setting(
    'NATS_PASSWORD_<SERVICE>',
    'The password of a service’s NATS user, `herald_<service>`; `NATS_PASSWORD_QUEUE` is that of `npm run queue`. Without it the starter makes one.',
  ),
  setting(
    'NATS_USER, NATS_PASSWORD',
    'One user for all services, with a `NATS_URL` whose server has no user for each. Then each service may do what all of them may.',
  ),
]

export const starterSettings = [
  setting('HERALD_DATA_DIR', 'Where everything is kept: databases, secrets, certificates, logs, `ports.json`, `processes.json`.', '.data'),
  setting('HERALD_PROCESSES', '`1`: all services in one process, for a small machine. `6`: a process for each service.', '6'),
  setting('HERALD_INSTANCES', 'How many processes of a service, such as `dispatcher=2,audience=2`.', 'one of each'),
  setting('HERALD_DEMO', '`off`: no simulator and no demo app; providers are the real ones.', 'on'),
  setting('HERALD_SIMULATOR', '`on`: the simulator also without the demo.', 'off'),
  setting('HERALD_PAGES', '`off`: dashboard, web SDK and guides are not built; what was built before is served.', 'on'),
  setting('HOST', 'The address that the gateways, and the probes and metrics of every service, listen on.', '127.0.0.1'),
  setting('PORT', 'The port of the gateways; 0 picks a free one.', '8080'),
  setting('NODE_EXTRA_CA_CERTS', 'A PEM file of authorities to trust; with the simulator, its own is added.'),
]

function setting(name: string, description: string, fallback?: string) {
  return { name, required: false, default: fallback ?? null, description }
}
