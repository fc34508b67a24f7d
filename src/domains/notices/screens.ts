import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

const list = '/log/issue-notice'
export const screens = defineScreens([
  { path: list, title: bi('发布公告', 'Announcements'), permission: 'notice:read' },
  {
    path: `${list}/IssueAnnouncement`,
    title: bi('编写公告', 'Write an announcement'),
    permission: 'notice:create',
    parent: list,
  },
  {
    path: `${list}/IssueAnnouncement/:id`,
    title: bi('编辑公告', 'Edit announcement'),
    permission: 'notice:update',
    parent: list,
  },
  { path: '/notice', title: bi('消息中心', 'Message centre'), permission: 'self' },
])
