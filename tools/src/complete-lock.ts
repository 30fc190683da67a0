// `npm run lock`, after every `npm install`: adds optional packages of other platforms to package-lock.json, because `npm ci` refuses the file
// without them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { addressesIn, completeLock } from './lock.ts'
import { root } from './workspace.ts'
import { writeWhole } from './write-whole.ts'

const file = join(root, 'package-lock.json')
const before = readFileSync(file, 'utf8')
const { text, added, unknown } = completeLock(before)
if (text !== before) writeWhole(file, text, 0o644)
console.log(`${added.length} packages of other platforms added`)
if (unknown.length > 0) console.log(`optional packages left out, because their names have no platform: ${unknown.join(', ')}`)

const bound = addressesIn(text)
if (bound.length > 0) {
  console.error(
    `package-lock.json binds ${bound.length} packages to an address (${bound.slice(0, 3).join(', ')} …). Write it again with omit-lockfile-registry-resolved=true in .npmrc.`,
  )
  process.exitCode = 1
}
