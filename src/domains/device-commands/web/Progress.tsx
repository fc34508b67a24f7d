import { Steps } from 'antd'

type Step = { readonly label: string; readonly at: string | null }
type Props = {
  steps: readonly Step[]
  /** How it ended; null while it runs. */
  end: 'good' | 'bad' | null
}

/** The steps of a command, one after the other as the machine answers. */
export function Progress({ steps, end }: Props) {
  const reached = steps.findLastIndex((step) => step.at !== null)
  const status =
    end === 'bad' ? ('error' as const) : end === 'good' ? ('finish' as const) : ('process' as const)
  return (
    <Steps
      style={{ padding: '12px 0' }}
      size="small"
      current={end ? steps.length - 1 : Math.min(steps.length - 1, reached + 1)}
      status={status}
      // what ended badly may have left out a step: nothing says that the machine took it
      items={steps.map((step, n) => ({
        title: step.label,
        ...(end === 'bad' && step.at === null && n < steps.length - 1
          ? { status: 'wait' as const }
          : {}),
      }))}
    />
  )
}
