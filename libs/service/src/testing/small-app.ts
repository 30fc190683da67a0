// A service that only connects to NATS. A test runs it as a process of its own, to look at its probes, its metrics and its end.
import { openBus } from '../bus.ts'
import { ServiceConfig } from '../config.ts'
import { program, runServices } from '../run.ts'

await runServices([program('tracker', ServiceConfig, (service) => openBus(service))])
