import { Form, type FormInstance } from 'antd'
import { createContext, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { z } from 'zod'
import type { CallInput, Endpoint, Output } from '../../shared/contract.ts'
import { common } from '../../shared/errors.ts'
import { say } from '../../shared/text.ts'
import { useWrite } from '../api.ts'
import { usePrefs } from '../prefs.ts'
import { useKept } from './kept.ts'
import { type Crossing, changedFrom, clean, crossed, type Values } from './values.ts'

export type Problem = { readonly field: string; readonly message: string }

type FormContext = {
  readonly ns: string
  readonly schema: z.ZodObject
  readonly check: (field: string) => string | null
  readonly label: (field: string, text: string) => void
  /** Told by a field that sets values of others itself. */
  readonly changed: (values: Values) => void
}
export const FormContext = createContext<FormContext | null>(null)

export type FormSpec<E extends Endpoint> = {
  /** Namespace of the domain's texts: labels are `fields.<name>`. */
  readonly ns: string
  /** The endpoint that saves; its input is the form's schema. */
  readonly save: E
  /** Start values; keys of the input without a field (id, version) travel along unseen. */
  readonly initial: Values
  /** Values of the fields to the endpoint's input; default: the values themselves. */
  readonly toInput?: (values: Values) => Values
  /** Asked once the values are fine: saving waits for the answer. */
  readonly before?: (values: Values) => Promise<boolean>
  /** i18n key of the message; default `web:success.saved`. */
  readonly success?: string
  /** Errors that belong to one field: name of the error to name of the field. */
  readonly claims?: Readonly<Record<string, string>>
  /** What is typed stays in this browser under this name until it is saved or dropped. */
  readonly keep?: string
  readonly onSaved: (answer: Output<E>) => void
  /** Reads the record again, so that `initial` brings what somebody else saved meanwhile. */
  readonly reload?: (() => unknown) | undefined
}

/** Saving met a record that somebody else had saved: told at once, the fields when they are read. */
export type Meeting = {
  readonly message: string
  readonly crossings: readonly (Crossing & { readonly label: string })[] | null
}

export type Engine = {
  readonly form: FormInstance
  readonly context: FormContext
  readonly problems: readonly (Problem & { readonly label: string })[]
  readonly dirty: boolean
  readonly busy: boolean
  readonly submit: () => void
  readonly meeting: Meeting | null
  /** Gives up what is here for what the other saved. */
  readonly take: (crossing: Crossing) => void
  readonly onChange: (changed: Values) => void
  /** What was kept stands in the form; takes it out again. */
  readonly dropKept: (() => void) | null
}

/** Values, checks and saving of one form; FormPage and FormDialog draw it. */
export function useFormEngine<E extends Endpoint>(spec: FormSpec<E>): Engine {
  const { ns, save, initial } = spec
  const { lang } = usePrefs()
  const [form] = Form.useForm()
  const [problems, setProblems] = useState<readonly Problem[]>([])
  const [dirty, setDirty] = useState(false)
  const [meeting, setMeeting] = useState<Meeting | null>(null)
  const [refusals, setRefusals] = useState(0)
  const awaited = useRef(false)
  const [restored, setRestored] = useState(false)
  const kept = useKept(spec.keep)
  const labels = useRef(new Map<string, string>())
  const start = useRef(initial)
  const initialKey = JSON.stringify(initial)
  const schema = save.input

  // biome-ignore lint/correctness/useExhaustiveDependencies: compared by content; never throws away what a person typed
  useEffect(() => {
    if (awaited.current) {
      if (JSON.stringify(start.current) === initialKey) return
      awaited.current = false
      const { values, crossings } = crossed(start.current, initial, form.getFieldsValue(true))
      start.current = initial
      form.setFieldsValue(values)
      setDirty(changedFrom(initial, values))
      setMeeting((met) => met && { ...met, crossings: crossings.flatMap(named) })
      return
    }
    if (dirty) return
    start.current = initial
    form.resetFields()
    form.setFieldsValue(initial)
    const found = kept.read(initialKey)
    if (!found) return
    form.setFieldsValue(found)
    setDirty(true)
    setRestored(true)
    // what the other saved may be here before the refusal is
  }, [initialKey, refusals, form])

  // what has no field travels along unseen
  const named = (crossing: Crossing) => {
    const label = labels.current.get(crossing.field)
    return label === undefined ? [] : [{ ...crossing, label }]
  }

  const issues = useCallback((): Problem[] => {
    const values = form.getFieldsValue(true) as Values
    const parsed = schema.safeParse(clean(schema, spec.toInput ? spec.toInput(values) : values))
    if (parsed.success) return []
    const found = new Map<string, string>()
    for (const issue of parsed.error.issues) {
      const field = issue.path.join('.')
      if (!found.has(field)) found.set(field, say(issue.message, lang))
    }
    return [...found].map(([field, message]) => ({ field, message }))
  }, [form, schema, lang, spec.toInput])

  const show = useCallback(
    (found: readonly Problem[]) => {
      const old = problems.filter(
        (problem) => !found.some((other) => other.field === problem.field),
      )
      form.setFields([
        ...old.map((problem) => ({ name: nameOf(problem.field), errors: [] })),
        ...found.map((problem) => ({ name: nameOf(problem.field), errors: [problem.message] })),
      ])
      setProblems(found)
    },
    [form, problems],
  )

  const write = useWrite(save, {
    success: spec.success ?? 'web:success.saved',
    claims: (error) =>
      (error.error === common.stale.name && spec.reload !== undefined) ||
      error.errors.length > 0 ||
      spec.claims?.[error.error] !== undefined,
    onSuccess: (answer) => {
      start.current = form.getFieldsValue(true)
      setDirty(false)
      setMeeting(null)
      kept.drop()
      spec.onSaved(answer)
    },
  })

  const submit = async () => {
    if (write.isPending) return
    const found = issues()
    show(found)
    if (found[0]) return focusField(form, found[0].field)
    const values = form.getFieldsValue(true) as Values
    if (spec.before && !(await spec.before(values))) return
    write.mutate(clean(schema, spec.toInput ? spec.toInput(values) : values) as CallInput<E>, {
      onError: (error) => {
        const field = spec.claims?.[error.error]
        if (error.error === common.stale.name && spec.reload) {
          awaited.current = true
          setRefusals((count) => count + 1)
          setMeeting({ message: error.message, crossings: null })
          void spec.reload()
        } else if (error.errors.length > 0)
          show(error.errors.map(({ field, message }) => ({ field, message })))
        else if (field) {
          show([{ field, message: error.message }])
          focusField(form, field)
        }
      },
    })
  }

  const change = useRef(onChange)
  change.current = onChange
  const context = useMemo<FormContext>(
    () => ({
      ns,
      schema,
      check: (field) => {
        const own = issues().find((problem) => problem.field === field)
        // each keeps its place: whoever presses one of them leaves a field by that
        setProblems((held) => {
          const others = held.flatMap((problem) =>
            problem.field !== field ? problem : (own ?? []),
          )
          return own && !others.includes(own) ? [...others, own] : others
        })
        return own?.message ?? null
      },
      label: (field, text) => void labels.current.set(field, text),
      changed: (values) => change.current(values),
    }),
    [ns, schema, issues],
  )

  return {
    form,
    context,
    dirty,
    busy: write.isPending,
    submit: () => void submit(),
    meeting,
    take: ({ field, theirs }) => {
      form.setFieldValue(nameOf(field), theirs)
      setDirty(changedFrom(start.current, form.getFieldsValue(true)))
      setMeeting(
        (met) =>
          met && {
            ...met,
            crossings: (met.crossings ?? []).map((one) =>
              one.field === field ? { ...one, kept: false } : one,
            ),
          },
      )
    },
    problems: problems.map((problem) => ({
      ...problem,
      label: labels.current.get(problem.field) ?? problem.message,
    })),
    dropKept: restored
      ? () => {
          kept.drop()
          setRestored(false)
          form.setFieldsValue(start.current)
          setDirty(false)
        }
      : null,
    onChange,
  }

  function onChange(changed: Values): void {
    const values = form.getFieldsValue(true) as Values
    const isChanged = changedFrom(start.current, values)
    setDirty(isChanged)
    if (isChanged) kept.write(JSON.stringify(start.current), values)
    else kept.drop()
    const fields = Object.keys(changed)
    if (
      problems.some((problem) =>
        fields.some((field) => problem.field === field || problem.field.startsWith(`${field}.`)),
      )
    )
      show(
        problems.filter(
          (problem) =>
            !fields.some(
              (field) => problem.field === field || problem.field.startsWith(`${field}.`),
            ),
        ),
      )
  }
}

export const nameOf = (field: string): (string | number)[] =>
  field.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part))

export function focusField(form: FormInstance, field: string): void {
  form.scrollToField(nameOf(field), { block: 'center', focus: true })
}
