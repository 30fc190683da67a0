import { Page } from '../../ui/Page.tsx'

/** Not made yet. */
export function SegmentPage() {
  return <Page title="Segment">Not made yet.</Page>
}
