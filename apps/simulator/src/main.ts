import { readConfig } from './config.ts'
import { startSimulator, type Simulator } from './simulator.ts'

const config = readConfig()
if (Array.isArray(config)) {
  process.stderr.write(`${config.join('\n')}\n`)
  process.exit(1)
}

let simulator: Simulator | undefined
const stop = () => {
  simulator?.stop()
  process.exit(0)
}
// These stand before the ready line, because its reader may tell us to stop in the same moment.
process.on('SIGTERM', stop)
process.on('SIGINT', stop)
// The process that started us has died, and nothing else would stop us.
process.on('disconnect', stop)

simulator = await startSimulator(config)
const ready = { ready: true, ...simulator.addresses }
process.stdout.write(`${JSON.stringify(ready)}\n`)
process.send?.(ready)
