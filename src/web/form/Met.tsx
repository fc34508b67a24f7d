import { Alert, Button } from 'antd'
import { useContext } from 'react'
import { useTranslation } from 'react-i18next'
import type { z } from 'zod'
import { yuan } from '../../shared/money.ts'
import { fieldInfo } from '../schema.ts'
import styles from './Form.module.css'
import { type Engine, FormContext } from './useForm.ts'

const longest = 60

/** Above the fields: what somebody else saved meanwhile, and whose word stands in each field. */
export function Met({ engine: { meeting, take } }: { engine: Engine }) {
  const context = useContext(FormContext)
  const { t } = useTranslation([context?.ns ?? 'web', 'web'])
  if (!meeting || !context) return null
  /** Null for what is no text to people: ids, pictures, lists. */
  const shown = (field: string, value: unknown): string | null => {
    const { kind, unit } = fieldInfo(context.schema.shape[field] as z.ZodType | undefined)
    if (unit === 'image' || /Ids?$/.test(field)) return null
    if (value === null || value === undefined || value === '') return t('web:form.met.empty')
    if (kind === 'enum') return t(`enums.${field}.${value}`)
    if (typeof value === 'boolean') return t(`web:bool.${value}`)
    if (typeof value === 'number') return unit === 'fen' ? yuan(value) : String(value)
    if (typeof value !== 'string') return null
    return value.length > longest ? `${value.slice(0, longest)}…` : value
  }
  return (
    <Alert
      className={styles.met ?? ''}
      type="warning"
      showIcon
      role="alert"
      title={meeting.crossings ? t('web:form.met.title') : meeting.message}
      description={
        meeting.crossings ? (
          <>
            <ul>
              {meeting.crossings.map((one) => {
                const theirs = shown(one.field, one.theirs)
                const key = `${one.kept ? 'kept' : 'taken'}${theirs === null ? 'Unseen' : ''}`
                return (
                  <li key={one.field}>
                    {t(`web:form.met.${key}`, { label: one.label, theirs })}
                    {one.kept ? (
                      <Button type="link" size="small" onClick={() => take(one)}>
                        {t('web:form.met.take')}
                      </Button>
                    ) : null}
                  </li>
                )
              })}
            </ul>
            {t('web:form.met.next')}
          </>
        ) : null
      }
    />
  )
}
