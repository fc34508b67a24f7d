import { z } from 'zod'
import { bi } from '../../shared/text.ts'

/** 8 to 128 characters, at least a letter and a digit (quality.md B; settled difference 17). */
export const newPassword = z
  .string({ error: bi('请输入新密码', 'Enter a new password') })
  .min(8, bi('密码至少8个字符', 'At least 8 characters'))
  .max(128, bi('密码不能超过128个字符', 'At most 128 characters'))
  .refine(
    (p) => /\p{L}/u.test(p) && /\d/.test(p),
    bi('密码须同时包含字母和数字', 'Use at least one letter and one digit'),
  )
