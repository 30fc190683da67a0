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
// These lines come before the ready line, because a parent that reads the ready line may send SIGTERM in the same moment.
process.on('SIGTERM', stop)
process.on('SIGINT', stop)
// Stops when the parent process dies, because nothing else would stop the simulator.
process.on('disconnect', stop)

simulator = await startSimulator(config)
const ready = { ready: true, ...simulator.addresses }
process.stdout.write(`${JSON.stringify(ready)}\n`)
process.send?.(ready)
