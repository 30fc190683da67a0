import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { client, dataOf } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import { queryClient } from '../../api/queryClient.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Button } from '../../ui/Button.tsx'
import { ErrorNote } from '../../ui/ErrorNote.tsx'
import { Field } from '../../ui/Field.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import { makeKeys } from '../start/new-keys.ts'

/** Makes an app with a public and a secret key, and then opens the first steps of the app, where the keys are shown once. */
export function NewApp() {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [problem, setProblem] = useState<string>()
  const making = useMutation({
    mutationFn: async () => {
      const { id } = dataOf(await client.POST('/v1/admin/apps', { body: { name: name.trim() } }))
      await queryClient.invalidateQueries({ queryKey: ['apps'] })
      // The app exists even when its keys could not be made. Its first steps offer to make them.
      await makeKeys(id).catch((error: unknown) =>
        announce(`App created, but its keys could not be created: ${faultOf(error).message}`, 'bad'),
      )
      return id
    },
    onSuccess: (appId) => navigate({ to: '/apps/$appId/start', params: { appId } }),
  })
  const nameFault = making.error === null ? undefined : faultOf(making.error).details.find(({ path }) => path === 'name')
  return (
    <form
      className="flex max-w-md flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (name.trim() === '') return setProblem('Give the app a name.')
        setProblem(undefined)
        making.mutate()
      }}
    >
      {making.error !== null && nameFault === undefined && <ErrorNote error={making.error} />}
      <Field
        label="Name of the app"
        hint="What it is for, such as Shop or Shop staging. People who get pushes do not see it."
        error={problem ?? (nameFault && `name ${nameFault.message}`)}
      >
        {(control) => <TextInput {...control} value={name} maxLength={100} onChange={(event) => setName(event.target.value)} />}
      </Field>
      <div>
        <Button type="submit" variant="primary" busy={making.isPending}>
          Create app
        </Button>
      </div>
    </form>
  )
}
