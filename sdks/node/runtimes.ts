// `npm run test:runtimes` runs the SDK's tests on Node 24 (this one), Node 20, Bun, Deno and workerd; `node sdks/node/runtimes.ts bun deno` on the
// named ones. Missing ones are fetched into .tools, in a fixed version.
import { runOn, type Runtime } from './src/testing/runtimes.ts'

const all: Runtime[] = ['node-24', 'node-20', 'bun', 'deno', 'workerd']
const asked = process.argv.slice(2)
const unknown = asked.find((name) => !all.some((runtime) => runtime === name))
if (unknown !== undefined) {
  console.error(`${unknown} is none of ${all.join(', ')}`)
  process.exit(2)
}

for (const runtime of asked.length > 0 ? all.filter((name) => asked.includes(name)) : all) {
  const results = await runOn(runtime).catch((error: unknown) => [{ name: 'it runs', ok: false, error: String(error) }])
  const failed = results.filter(({ ok }) => !ok)
  for (const { name, error } of failed) console.log(`${runtime}: ${name}\n  ${error}`)
  console.log(`${runtime}: ${results.length - failed.length} passed, ${failed.length} failed`)
  if (failed.length > 0) process.exitCode = 1
}
