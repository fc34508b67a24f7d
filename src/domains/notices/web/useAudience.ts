import { Form, type FormInstance } from 'antd'
import { useRead } from '../../../web/api.ts'
import { notices } from '../contract.ts'

/** How many people the form reaches as it stands. */
export function useAudience(form: FormInstance, orgId: number | undefined): number | undefined {
  const toAll = Form.useWatch('toAll', form) !== false
  const withSubtree = Form.useWatch('withSubtree', { form, preserve: true }) !== false
  const ids = (name: string, value: unknown): number[] =>
    toAll || !Array.isArray(value)
      ? []
      : (value as number[]).slice(0, { orgIds: 200, roleIds: 50 }[name] ?? 500)
  const orgIds = ids('orgIds', Form.useWatch('orgIds', { form, preserve: true }))
  const roleIds = ids('roleIds', Form.useWatch('roleIds', { form, preserve: true }))
  const userIds = ids('userIds', Form.useWatch('userIds', { form, preserve: true }))
  const read = useRead(
    notices.audience,
    { toAll, withSubtree, orgIds, roleIds, userIds, ...(orgId ? { orgId } : {}) },
    { inline: true, keep: true },
  )
  return read.data?.count
}
