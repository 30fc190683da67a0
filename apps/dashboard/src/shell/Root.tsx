import { SessionGate } from '../session/SessionGate.tsx'
import { Announcer } from '../ui/Announcer.tsx'
import { Shell } from './Shell.tsx'

/** The whole dashboard: an operator who is signed in sees the shell with a page in it. */
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
