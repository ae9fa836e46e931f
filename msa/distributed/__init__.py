"""Context parallelism: which rank of a group holds which queries of a call.

`plan_context` divides documents among ranks by the cost of their queries.

This is the planner alone: operators do not take a rank's part of a document yet, and nothing here
communicates.
"""

from msa.distributed.plan import ContextPlan, Fragment, plan_context

__all__ = ["ContextPlan", "Fragment", "plan_context"]
