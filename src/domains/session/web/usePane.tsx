import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { z } from 'zod'
import type { CallInput, Endpoint, Output } from '../../../shared/contract.ts'
import { say } from '../../../shared/text.ts'
import { href } from '../../../web/base.ts'
import { call, isApiError, messageOf } from '../../../web/call.ts'
import { prefs } from '../../../web/prefs.ts'
import { session } from '../contract.ts'
import { CodeButton } from './CodeButton.tsx'
import styles from './Login.module.css'
import { Notice, TextRow } from './LoginFields.tsx'
import { useMethods } from './useMethods.ts'

/** Messages by field; `form` stands above the fields. */
type Errors = Partial<Record<string, string>>

/** A refusal at its fields, or by `claims` (error name to field), or above the form. */
function errorsOf(error: unknown, claims: Readonly<Record<string, string>>): Errors {
  if (isApiError(error) && error.errors.length > 0)
    return Object.fromEntries(error.errors.map((entry) => [entry.field, entry.message]))
  const field = isApiError(error) ? claims[error.error] : undefined
  return { [field ?? 'form']: messageOf(error) }
}

function problemsOf(error: z.ZodError): Errors {
  const found: Errors = {}
  for (const issue of error.issues)
    found[String(issue.path[0] ?? 'form')] ??= say(issue.message, prefs().lang)
  return found
}

/** A form of the sign-in page: what is typed, and what is wrong with it. */
export function usePane<K extends string>(blank: Readonly<Record<K, string>>) {
  const [values, setValues] = useState(blank)
  const [errors, setErrors] = useState<Errors>({})
  const [busy, setBusy] = useState(false)
  const set = (name: K, value: string) => setValues((held) => ({ ...held, [name]: value }))
  return {
    values,
    set,
    errors,
    busy,
    field: (name: K) => ({
      name: name as string,
      value: values[name],
      error: errors[name],
      onChange: (value: string) => set(name, value),
    }),
    /** What stands in these fields; an empty one is missing. */
    typed: (...names: K[]) =>
      Object.fromEntries(names.flatMap((name) => (values[name] ? [[name, values[name]]] : []))),
    /**
     * The answer; undefined when the input does not fit or is refused, and then the fields say so.
     */
    async send<E extends Endpoint>(
      endpoint: E,
      input: Readonly<Record<string, unknown>>,
      claims: Readonly<Record<string, string>> = {},
      refused?: (error: unknown) => void,
    ): Promise<Output<E> | undefined> {
      const parsed = endpoint.input.safeParse(input)
      setErrors(parsed.success ? {} : problemsOf(parsed.error))
      if (!parsed.success) return undefined
      try {
        return await call(endpoint, parsed.data as CallInput<E>, { signIn: true })
      } catch (error) {
        setErrors(errorsOf(error, claims))
        refused?.(error)
        return undefined
      }
    },
    /** One at a time. */
    submit: (work: () => Promise<unknown>) => async (event: React.FormEvent) => {
      event.preventDefault()
      if (busy) return
      setBusy(true)
      await work()
      setBusy(false)
    },
  }
}
type Pane = ReturnType<typeof usePane<string>>

/** The form of a pane: what is wrong above its rows, the button below them. */
export function PaneForm({
  pane: { errors, busy, submit },
  work,
  ok,
  children,
}: {
  pane: Pick<Pane, 'errors' | 'busy' | 'submit'>
  work: () => Promise<unknown>
  /** Without it there is nothing to send. */
  ok: string | undefined
  children: ReactNode
}) {
  return (
    <form onSubmit={submit(work)} noValidate aria-labelledby="login-title">
      {errors.form ? <Notice>{errors.form}</Notice> : null}
      {children}
      {ok ? (
        <button type="submit" className={styles.submit} aria-busy={busy}>
          {busy ? <span className={styles.spin} aria-hidden="true" /> : null}
          {ok}
        </button>
      ) : null}
    </form>
  )
}

/** A code by SMS to the number typed above: the rows, and what is said about it below them. */
export function useCode(
  pane: ReturnType<typeof usePane<'phone' | 'smsCode'>>,
  asked: () => Readonly<Record<string, unknown>>,
) {
  const { t } = useTranslation(['web', 'session'])
  const methods = useMethods()
  const [note, setNote] = useState('')
  const send = async () => {
    const answer = await pane.send(session.loginsend, { channel: 'sms', ...asked() })
    if (!answer || !('sent' in answer)) return null
    setNote(t(answer.sent ? 'session:code.sent' : 'session:forgot.pending'))
    return answer.retryAfter
  }
  return {
    /** False where SMS is not set up. */
    possible: methods?.sms !== false,
    send,
    phone: (focus = false) => (
      <TextRow
        {...pane.field('phone')}
        icon="phone"
        label={t('session:fields.mobile')}
        numeric
        maxLength={20}
        autoComplete="tel-national"
        focus={focus}
      />
    ),
    code: (
      <TextRow
        {...pane.field('smsCode')}
        icon="code"
        label={t('session:fields.smsCode')}
        numeric
        maxLength={6}
        autoComplete="one-time-code"
        after={<CodeButton send={send} />}
      />
    ),
    note: (
      <p className={styles.note} role="status">
        {note}
        {methods?.demo ? (
          <a className={styles.link} href={href('/dev/inbox')} target="_blank" rel="noreferrer">
            {t('session:code.inbox')}
          </a>
        ) : null}
      </p>
    ),
  }
}
