import { countTests, type Report } from './test-report.ts'

const http2 = 'libs/http2/src'
const gateway = 'apps/gateway/src'

type Siege = readonly (readonly [what: string, files: readonly string[]])[]

/** What was attacked by hand and held, with the tests that attack it again. Many make their cases from the routes, grants and tables themselves. */
export const siege: Siege = [
  ['every operation with ids of another app', ['e2e/tests/foreign-ids.test.ts']],
  ['every route with every credential', [`${gateway}/http/authority.integration.test.ts`]],
  [
    'sessions: forged requests, links used twice, wrong tokens',
    [`${gateway}/session/session.integration.test.ts`, `${gateway}/session/sign-in.integration.test.ts`],
  ],
  ['NATS: each service, each subject', ['libs/service/src/grants.integration.test.ts', 'tools/src/grants.test.ts']],
  [
    'Postgres: each service, each table, sequence and function',
    ['libs/service/src/rights.integration.test.ts', 'libs/service/src/provision.integration.test.ts'],
  ],
  [
    'hostile HTTP/2 servers and clients',
    ['client/rfc9113', 'client/faults', 'client/cut', 'client/refused', 'client/flow-control', 'server/rfc9113', 'hpack/decoder'].map(
      (name) => `${http2}/${name}.test.ts`,
    ),
  ],
  ['random HTTP/2 frames', [`${http2}/fuzz.long.test.ts`]],
  ['request smuggling and slow sockets', [`${gateway}/http/smuggling.integration.test.ts`]],
  ['hostile bodies and values', [`${gateway}/http/hostile.integration.test.ts`]],
  ['broken requests, and headers put into answers', [`${gateway}/http/protocol.integration.test.ts`]],
  ['headers put into requests to providers', [`${http2}/hpack/encoder.test.ts`]],
  [
    'hostile import files',
    [
      `${gateway}/people/core/import-file.test.ts`,
      `${gateway}/people/core/import-row.test.ts`,
      `${gateway}/people/imports.integration.test.ts`,
    ],
  ],
  [
    'destinations in every spelling',
    [
      'libs/contracts/src/destination.test.ts',
      'libs/contracts/src/destination-form.test.ts',
      'libs/contracts/src/destination-vectors.test.ts',
    ],
  ],
  ['names that resolve to private addresses', ['libs/service/src/guarded-connect.test.ts', `${http2}/client/dial.test.ts`]],
  ['the simulator’s control API', ['apps/simulator/src/control-http.test.ts']],
]

/** Writes a line for each attack: how many tests there are, and how many of them held. */
export function siegeTable({ files }: Report, attacks: Siege = siege): { lines: string[]; held: boolean } {
  let held = true
  const rows = attacks.map(([what, wanted]) => {
    const found = files.filter(({ path }) => wanted.includes(path))
    const { passed, failed, skipped } = countTests({ files: found })
    const all = passed + failed + skipped
    const holds = found.length === wanted.length && all > 0 && passed === all
    held &&= holds
    return `${what.padEnd(62)}${String(all).padStart(6)}${String(passed).padStart(6)}${holds ? '' : '  <- did not hold'}`
  })
  return { lines: [`${'what'.padEnd(62)}${'tests'.padStart(6)}${'held'.padStart(6)}`, ...rows], held }
}
