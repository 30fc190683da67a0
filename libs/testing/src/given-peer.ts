import type { AppName } from '@herald/contracts/call'
import { openBus, type Bus } from '@herald/service/bus'
import { testService } from './service.ts'

/** Opens the bus as a service of this name, so that a test can act as the service. */
export const givenPeer = (name: AppName, natsUrl: string): Promise<Bus> => openBus(testService(name, { NATS_URL: natsUrl }))
