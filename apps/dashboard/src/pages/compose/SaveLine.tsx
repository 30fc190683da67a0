import type { SaveState } from '../../core/draft-saver.ts'
import { clockTime } from '../../core/time.ts'
import { Button } from '../../ui/Button.tsx'

/** Says where the written text is: saved in Herald, being saved, or in this browser only. */
export function SaveLine({ state, onSave }: { state: SaveState; onSave: () => void }) {
  return (
    <p role="status" className="flex items-center gap-2 text-sm text-muted">
      {words(state)}
      {(state.is === 'unreached' || (state.is === 'kept' && state.message !== undefined)) && (
        <Button small variant="quiet" onClick={onSave}>
          Try again
        </Button>
      )}
    </p>
  )
}

function words(state: SaveState): string {
  switch (state.is) {
    case 'untouched':
      return ''
    case 'waiting':
    case 'saving':
      return 'Saving'
    case 'saved':
      return `Saved ${clockTime(state.at)}`
    case 'kept':
      return state.message === undefined ? `Kept in this browser ${clockTime(state.at)}: not complete yet` : `Not saved: ${state.message}`
    case 'unreached':
      return `Kept in this browser ${clockTime(state.at)}: ${state.message}`
    case 'conflict':
      return 'Not saved: somebody else has changed it'
    case 'over':
      return 'No draft any more'
  }
}
