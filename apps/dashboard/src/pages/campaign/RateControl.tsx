import { useState } from 'react'
import { client, dataOf } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import { isOver } from '../../core/progress.ts'
import { fastestRate, rateLine, slowestRate } from '../../core/send-rate.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Button } from '../../ui/Button.tsx'
import { Confirm } from '../../ui/Confirm.tsx'
import { Field } from '../../ui/Field.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import type { Campaign, Reading } from './useSend.ts'

/** Shows how fast a send goes out and how long that takes, and lets the operator change or lift the limit until the send is over. */
export function RateControl({
  appId,
  campaign,
  reading,
  onDone,
}: {
  appId: string
  campaign: Campaign
  reading: Reading
  onDone: () => void
}) {
  const perMinute = campaign.sendRate?.perMinute ?? null
  const [typed, setTyped] = useState<string>()
  const put = async (rate: number | null) => {
    const answer = dataOf(
      await client.POST('/v1/admin/apps/{appId}/campaigns/{id}/rate', {
        params: { path: { appId, id: campaign.id } },
        body: { perMinute: rate },
      }),
    )
    announce(answer.perMinute === null ? 'As fast as possible from now on' : rateLine(answer.perMinute, answer.etaSeconds))
    onDone()
  }
  const number = Number(typed)
  const isRate = Number.isInteger(number) && number >= slowestRate && number <= fastestRate
  if (isOver(reading.status) || reading.cancelling || reading.status === 'draft' || campaign.test) return null
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span data-rate>
        {perMinute === null
          ? 'As fast as possible'
          : rateLine(perMinute, reading.status === 'sending' ? (reading.pace?.etaSeconds ?? null) : null)}
      </span>
      <Button needed="send" small onClick={() => setTyped(String(perMinute ?? 6_000))}>
        {perMinute === null ? 'Limit the rate' : 'Change the rate'}
      </Button>
      {perMinute !== null && (
        <Button
          needed="send"
          small
          variant="quiet"
          onClick={() => void put(null).catch((error: unknown) => announce(faultOf(error).message, 'bad'))}
        >
          Remove the limit
        </Button>
      )}
      <Confirm
        open={typed !== undefined}
        onClose={() => setTyped(undefined)}
        title="How fast should it go out?"
        action="Apply limit"
        ready={isRate}
        onConfirm={() => put(number)}
      >
        <Field
          label="Messages per minute"
          hint="For some seconds, messages that are queued already may still go out at the old rate."
          error={isRate ? undefined : `is a whole number from ${slowestRate} to ${fastestRate.toLocaleString('en')}`}
        >
          {(control) => (
            <TextInput
              {...control}
              type="number"
              min={slowestRate}
              max={fastestRate}
              value={typed ?? ''}
              onChange={({ target }) => setTyped(target.value)}
              autoFocus
            />
          )}
        </Field>
      </Confirm>
    </div>
  )
}
