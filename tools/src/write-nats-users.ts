// `npm run nats-users -- <file>` writes the users of an operator's own nats-server (NATS_URL) into a file (0600) for its configuration, with the
// passwords in NATS_PASSWORD_<SERVICE>, else those of `npm start`'s data directory; missing ones are made.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { natsAuthorization } from '@herald/contracts/grants'
import { readSecrets } from './secrets.ts'
import { StartError } from './start-error.ts'
import { root } from './workspace.ts'
import { writeWhole } from './write-whole.ts'

const [file] = process.argv.slice(2)
if (file === undefined) {
  process.stderr.write('usage: npm run nats-users -- <file>\n')
  process.exit(2)
}
try {
  const dataDir = process.env['HERALD_DATA_DIR'] || join(root, '.data')
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  writeWhole(file, natsAuthorization(readSecrets(dataDir, process.env).natsPasswords), 0o600)
  process.stdout.write(`${file} holds the users of nats-server: include it in its configuration (docs/operations.md, NATS)\n`)
} catch (error) {
  process.stderr.write(`${error instanceof StartError ? error.message : String(error)}\n`)
  process.exitCode = 1
}
