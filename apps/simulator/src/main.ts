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
// Before the ready line: whoever reads it may tell us to stop in the same moment.
process.on('SIGTERM', stop)
process.on('SIGINT', stop)
// The starter died: nobody is left to stop us.
process.on('disconnect', stop)

simulator = await startSimulator(config)
const ready = { ready: true, ...simulator.addresses }
process.stdout.write(`${JSON.stringify(ready)}\n`)
process.send?.(ready)
