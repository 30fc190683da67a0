// A service that only connects to NATS and takes calls. Tests run it as a process of its own.
import { openBus } from '../bus.ts'
import { ServiceConfig } from '../config.ts'
import { runService } from '../run.ts'

await runService('tracker', ServiceConfig, async (service) => void (await openBus(service)))
