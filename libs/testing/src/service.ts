import type { AppName } from '@herald/contracts/call'
import { openLifecycle, type Lifecycle } from '@herald/service/lifecycle'
import { openLog } from '@herald/service/log'
import { openMetrics } from '@herald/service/metrics'
import type { Service } from '@herald/service/run'
import { atEnd } from './at-end.ts'

type TestService<Config> = Service<Config> & Pick<Lifecycle, 'waitingFor'> & { stop: () => Promise<void> }

/** Makes a running service for a test. It logs nothing, and is closed like a real service at the end of the test file, or by `stop`. */
export function testService<Config>(name: AppName, config: Config): TestService<Config> {
  const lifecycle = openLifecycle()
  lifecycle.started()
  const stop = () =>
    lifecycle.stop((what, error) => {
      throw new Error(`${what} did not close`, { cause: error })
    })
  atEnd(stop)
  return { name, config, log: openLog(name, 'silent'), metrics: openMetrics(), ...lifecycle, stop }
}
