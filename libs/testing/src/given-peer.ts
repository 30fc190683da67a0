import type { AppName } from '@herald/contracts/call'
import { openBus, type Bus } from '@herald/service/bus'
import { testService } from './service.ts'

/** The bus as another app sees it: a test plays that app. */
export const givenPeer = (name: AppName, natsUrl: string): Promise<Bus> => openBus(testService(name, { NATS_URL: natsUrl }))
