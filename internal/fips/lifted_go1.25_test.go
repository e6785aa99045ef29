//go:build !go1.26

package fips

// lifted is what Enforced says within WithoutEnforcement, which cannot lift the mode.
const lifted = "true"
