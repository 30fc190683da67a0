import { useState } from 'react'
import { askOutside } from '../../api/outside.ts'
import { pushKey, reportsOf, type ArrivedPush, type Gesture } from '../../core/inbox.ts'
import { announce } from '../../ui/Announcer.tsx'

/** A tap, an action or a swipe on a push of this page. `isDone` says whether Herald has the report. */
export type Report = { gesture: Gesture; isDone: boolean }

/** Gives the last report of each push on this page, by the key of the push, and a function that reports a gesture. */
export function useReports() {
  const [reports, setReports] = useState<ReadonlyMap<string, Report>>(new Map())
  const note = (key: string, report: Report | undefined): void =>
    setReports((known) => {
      const next = new Map(known)
      if (report === undefined) next.delete(key)
      else next.set(key, report)
      return next
    })

  async function report(push: ArrivedPush, gesture: Gesture): Promise<void> {
    const key = pushKey(push)
    const before = reports.get(key)
    note(key, { gesture, isDone: false })
    try {
      for (const path of reportsOf(push, gesture)) await askOutside(path, { method: 'POST' })
      note(key, { gesture, isDone: true })
    } catch (error) {
      note(key, before)
      announce(`The device could not report it: ${error instanceof Error ? error.message : 'try again'}.`, 'bad')
    }
  }
  return { reports, report }
}
