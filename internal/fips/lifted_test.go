//go:build go1.26

package fips

// lifted is the result of Enforced within WithoutEnforcement.
const lifted = "false"
