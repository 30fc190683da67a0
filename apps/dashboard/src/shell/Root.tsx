import { SessionGate } from '../session/SessionGate.tsx'
import { Announcer } from '../ui/Announcer.tsx'
import { Shell } from './Shell.tsx'

/** Shows the dashboard to a signed-in operator: the shell, with the page of the address in it. */
export function Root() {
  return (
    <>
      <SessionGate>
        <Shell />
      </SessionGate>
      <Announcer />
    </>
  )
}
